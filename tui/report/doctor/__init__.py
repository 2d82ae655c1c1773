"""`toklane doctor`: what was found here, what can be measured, and what is missing for the rest."""
