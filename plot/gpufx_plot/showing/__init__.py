"""What people see: screens, tables, figures, pages, and the forms of other tools."""
