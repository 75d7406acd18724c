"""What we write and answer, beside what others do: at random, and on the cases of conformance/."""
