/**
 * How late a send still goes to a time zone in which its time has passed, unless the schedule says so. In a file of its own, so that the dashboard's
 * campaign page loads no reckoning with time zones.
 */
export const defaultLateMinutes = 60
