"""What is measured, and how it stays honest. Gold is known here and in no method."""
