/** What an app's log has ever taken in, by type: events, their bytes, and the place up to which those of the type are deleted. */
export type Totals = Readonly<Record<string, readonly [count: number, bytes: number, deletedTo: number]>>

/** The log of an app: the place of its newest event, and what it has taken in. */
export type Log = { readonly head: number; readonly totals: Totals }

/** A place between two events. `count` and `bytes`: events of a reading's types that the log had taken in up to there. */
export type Mark = { readonly place: number; readonly count: number; readonly bytes: number }

/**
 * A part of its app's log that an endpoint has still to read: events of these types after `from`, up to `until` or without an end. An endpoint
 * that is switched off or asks for other types gets an end there, and another reading when it goes on; what lies between is not for it.
 */
export type Reading = { readonly types: readonly string[]; readonly from: Mark; readonly until: Mark | null }

/** What an endpoint asks for, in the form that all who ask for the same have in common. */
export const askedTypes = (eventTypes: readonly string[]): string[] =>
  eventTypes.includes('*') ? ['*'] : [...new Set(eventTypes)].toSorted()

/** The types of a reading that the log holds. */
export const typesIn = (totals: Totals, types: readonly string[]): string[] =>
  types.includes('*') ? Object.keys(totals) : types.filter((type) => Object.hasOwn(totals, type))

/** The end of the log as it is now, for somebody who reads these types. */
export function endOf({ head, totals }: Log, types: readonly string[]): Mark {
  let [count, bytes] = [0, 0]
  for (const type of typesIn(totals, types)) {
    const [events, size] = totals[type] ?? [0, 0]
    count += events
    bytes += size
  }
  return { place: head, count, bytes }
}

/** Where a reading ends now. */
export const untilOf = (reading: Reading, log: Log): Mark => reading.until ?? endOf(log, reading.types)

/** What is still to be read. */
export function waitingOf(readings: readonly Reading[], log: Log): { count: number; bytes: number } {
  let [count, bytes] = [0, 0]
  for (const reading of readings) {
    const until = untilOf(reading, log)
    count += until.count - reading.from.count
    bytes += until.bytes - reading.from.bytes
  }
  return { count, bytes }
}

const holdsSome = (reading: Reading): boolean => reading.until === null || reading.until.count > reading.from.count

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((type, place) => type === other[place])

/**
 * The readings of an endpoint from here on, before more is put into the log: one without an end while it is open, of the types that it asks for
 * now. Undefined: they stay as they are.
 */
export function followed(
  readings: readonly Reading[],
  { isOpen, eventTypes }: { isOpen: boolean; eventTypes: readonly string[] },
  log: Log,
): Reading[] | undefined {
  const types = askedTypes(eventTypes)
  const last = readings.at(-1)
  const goesOn = last !== undefined && last.until === null
  if (goesOn ? isOpen && same(last.types, types) : !isOpen) return undefined
  const ended = goesOn ? [...readings.slice(0, -1), { ...last, until: endOf(log, last.types) }] : [...readings]
  const next = isOpen ? [{ types, from: endOf(log, types), until: null }] : []
  return [...ended.filter(holdsSome), ...next]
}

/** The readings after the first has been read up to there. The first is the next: none that has come to its end stays. */
export function advanced(readings: readonly Reading[], to: Mark): Reading[] {
  const [first, ...rest] = readings
  return first === undefined ? [] : [{ ...first, from: to }, ...rest].filter(holdsSome)
}

/**
 * Up to which place the events of each type are read by all, of those that are not deleted yet. `readings`: of every endpoint of the app, also of one that is
 * switched off. Who waits for nothing keeps nothing.
 */
export function readByAll(log: Log, readings: readonly (readonly Reading[])[]): { type: string; after: number; to: number }[] {
  const waiting = readings.flat().filter((reading) => untilOf(reading, log).count > reading.from.count)
  return Object.entries(log.totals).flatMap(([type, [, , deletedTo]]) => {
    const keepers = waiting.filter(({ types }) => types.includes('*') || types.includes(type))
    const to = Math.min(log.head, ...keepers.map(({ from }) => from.place))
    return to > deletedTo ? [{ type, after: deletedTo, to }] : []
  })
}
