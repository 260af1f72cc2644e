"""Is this card as the other cards of its chip are? A base of boards, a judge, what to measure, and proof by simulation:
docs/fleet.md."""
