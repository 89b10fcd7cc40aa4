"""Values of forms: fields, answers, marks that are drawn, verdicts, written questions, and their checks."""
