"""The mode Verify: proposed answers, their approval by models and people, and measuring in recordings."""
