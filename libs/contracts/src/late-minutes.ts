/**
 * How late a send still goes to a time zone in which its date and time have passed, unless the schedule says so itself. It has a file of its own because
 * the dashboard's page of a campaign names it and is to load no reckoning with time zones.
 */
export const defaultLateMinutes = 60
