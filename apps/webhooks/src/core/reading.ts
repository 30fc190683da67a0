/** For each type, what an app's log has ever taken in: how many events, their bytes, and the place up to which they are deleted. */
export type Totals = Readonly<Record<string, readonly [count: number, bytes: number, deletedTo: number]>>

/** The log of an app: the place of its newest event, and what it has ever taken in. */
export type Log = { readonly head: number; readonly totals: Totals }

/** A place between two events. `count` and `bytes`: the events of a reading's types that the log had taken in up to that place. */
export type Mark = { readonly place: number; readonly count: number; readonly bytes: number }

/**
 * A part of the app's log that an endpoint still has to read: events of these types after `from`, up to `until`, or without an end. When the endpoint is
 * switched off or asks for other types its reading gets an end, and it gets another reading when it goes on. It never gets the events between the two.
 */
export type Reading = { readonly types: readonly string[]; readonly from: Mark; readonly until: Mark | null }

/** Gives the types that an endpoint asks for, in a form that is equal for all endpoints that ask for the same. */
export const askedTypes = (eventTypes: readonly string[]): string[] =>
  eventTypes.includes('*') ? ['*'] : [...new Set(eventTypes)].toSorted()

/** Gives the types of a reading that the log has ever taken in. */
export const typesIn = (totals: Totals, types: readonly string[]): string[] =>
  types.includes('*') ? Object.keys(totals) : types.filter((type) => Object.hasOwn(totals, type))

/** Gives the present end of the log, for an endpoint that reads these types. */
export function endOf({ head, totals }: Log, types: readonly string[]): Mark {
  let [count, bytes] = [0, 0]
  for (const type of typesIn(totals, types)) {
    const [events, size] = totals[type] ?? [0, 0]
    count += events
    bytes += size
  }
  return { place: head, count, bytes }
}

/** Gives the place where a reading ends now. */
export const untilOf = (reading: Reading, log: Log): Mark => reading.until ?? endOf(log, reading.types)

/** Counts what is still to be read. */
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
 * Gives the readings of an endpoint from here on, before more events are put into the log. While the endpoint is open the last of them has no end, and
 * the types that it asks for now. Undefined when its readings stay as they are.
 */
export function followed(
  readings: readonly Reading[],
  { isOpen, eventTypes }: { isOpen: boolean; eventTypes: readonly string[] },
  log: Log,
): Reading[] | undefined {
  const types = askedTypes(eventTypes)
  const last = readings.at(-1)
  const isReading = last !== undefined && last.until === null
  if (isReading ? isOpen && same(last.types, types) : !isOpen) return undefined
  const ended = isReading ? [...readings.slice(0, -1), { ...last, until: endOf(log, last.types) }] : [...readings]
  const next = isOpen ? [{ types, from: endOf(log, types), until: null }] : []
  return [...ended.filter(holdsSome), ...next]
}

/** Gives the readings after the first of them has been read up to `to`. A reading that has come to its end is left out. */
export function advanced(readings: readonly Reading[], to: Mark): Reading[] {
  const [first, ...rest] = readings
  return first === undefined ? [] : [{ ...first, from: to }, ...rest].filter(holdsSome)
}

/**
 * Says up to which place the events of each type are read by every endpoint, if some of them are not deleted yet. `readings`: those of all endpoints of the
 * app, also of one that is switched off. An endpoint for which nothing waits keeps no event.
 */
export function readByAll(log: Log, readings: readonly (readonly Reading[])[]): { type: string; after: number; to: number }[] {
  const waiting = readings.flat().filter((reading) => untilOf(reading, log).count > reading.from.count)
  return Object.entries(log.totals).flatMap(([type, [, , deletedTo]]) => {
    const keepers = waiting.filter(({ types }) => types.includes('*') || types.includes(type))
    const to = Math.min(log.head, ...keepers.map(({ from }) => from.place))
    return to > deletedTo ? [{ type, after: deletedTo, to }] : []
  })
}
