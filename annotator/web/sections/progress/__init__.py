"""Progress on the Project page: days and people, time, hours and cost, and work that is worth a look."""
