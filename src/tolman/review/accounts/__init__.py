"""Accounts: people, invitations, passwords, sessions, limits on guessing and on what is sent."""
