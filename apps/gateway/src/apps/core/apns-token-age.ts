const minute = 60

/** Apple takes a provider token for an hour; at 50 minutes there is time left for clocks that differ and pushes in flight. */
const renewedAfterSeconds = 50 * minute
/** Apple answers TooManyProviderTokenUpdates to a team that changes its token more often. */
const keptForSeconds = 20 * minute

/** Whether the present token is still used. A token that APNs refused is replaced as soon as Apple allows. */
export const isTokenKept = ({ ageSeconds, refused }: { ageSeconds: number; refused: boolean }): boolean =>
  ageSeconds < (refused ? keptForSeconds : renewedAfterSeconds)
