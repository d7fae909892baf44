"""What can be seen from outside: counters and events. Never the text of an answer or a passage."""
