/**
 * By type of event, what was ever inserted into an app's event log: the number of events, their bytes, and the place up to which they are deleted.
 */
export type Totals = Readonly<Record<string, readonly [count: number, bytes: number, deletedTo: number]>>

/** An app's log of events. An event's place is its number in the log; `head` is the place of the newest event. */
export type Log = { readonly head: number; readonly totals: Totals }

/** A position in a log: after the event at `place`. `count` and `bytes` add up the events of a reading's types up to there. */
export type Mark = { readonly place: number; readonly count: number; readonly bytes: number }

/**
 * What an endpoint still has to read of the app's event log: events of these types after `from` and up to `until`, null while the reading goes on.
 * The endpoint never gets the events between two readings.
 */
export type Reading = { readonly types: readonly string[]; readonly from: Mark; readonly until: Mark | null }

/** Gives the types that an endpoint asks for, sorted, so that endpoints that ask for the same types have equal lists. */
export const askedTypes = (eventTypes: readonly string[]): string[] =>
  eventTypes.includes('*') ? ['*'] : [...new Set(eventTypes)].toSorted()

/** Gives those of a reading's types of which the log ever had an event. */
export const typesIn = (totals: Totals, types: readonly string[]): string[] =>
  types.includes('*') ? Object.keys(totals) : types.filter((type) => Object.hasOwn(totals, type))

/** Gives the present end of the log, counted in events of these types. */
export function endOf({ head, totals }: Log, types: readonly string[]): Mark {
  let [count, bytes] = [0, 0]
  for (const type of typesIn(totals, types)) {
    const [events, size] = totals[type] ?? [0, 0]
    count += events
    bytes += size
  }
  return { place: head, count, bytes }
}

/** Gives the position up to which a reading goes now. */
export const untilOf = (reading: Reading, log: Log): Mark => reading.until ?? endOf(log, reading.types)

/** Adds up the events, and their bytes, that these readings still have to read. */
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
 * Gives an endpoint's readings as they must be before more events are inserted. While it is switched on, the last reading has the types that it asks
 * for now, and no end. Undefined when nothing must change.
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

/** Gives an endpoint's readings as they are when the first of them is read up to `to`. A reading that has an end and no further events is removed. */
export function advanced(readings: readonly Reading[], to: Mark): Reading[] {
  const [first, ...rest] = readings
  return first === undefined ? [] : [{ ...first, from: to }, ...rest].filter(holdsSome)
}

/**
 * Says for each type up to which place every endpoint has read, if some of these events are not deleted yet. `readings`: a list for each endpoint,
 * also switched off. An endpoint without waiting events keeps none from deletion.
 */
export function readByAll(log: Log, readings: readonly (readonly Reading[])[]): { type: string; after: number; to: number }[] {
  const waiting = readings.flat().filter((reading) => untilOf(reading, log).count > reading.from.count)
  return Object.entries(log.totals).flatMap(([type, [, , deletedTo]]) => {
    const keepers = waiting.filter(({ types }) => types.includes('*') || types.includes(type))
    const to = Math.min(log.head, ...keepers.map(({ from }) => from.place))
    return to > deletedTo ? [{ type, after: deletedTo, to }] : []
  })
}
