"""Values of forms: fields, answers, decisions, written questions, and their checks."""
