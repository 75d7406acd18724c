"""What tests of ksykit share."""
