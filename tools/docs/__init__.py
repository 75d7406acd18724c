"""The documentation as a site: pages of docs/, with parts that come from the code and the specs."""
