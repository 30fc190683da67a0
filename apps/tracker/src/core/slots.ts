import type { End, EndOfPlaces, OutcomeKind } from '@herald/contracts/outcome'

/** An end says how a push ended: its outcome with code and attempts, and the moment at which the tracker recorded it, in Unix milliseconds. */
export type TimedEnd = End & { at: number }

/**
 * A ledger row, with a slot for each push at places `place` to `place + size - 1` of a batch: 0 while open, else a number in `ends`, from 1. Slots
 * take two bytes above 255 ends.
 */
export type Slots = { place: number; size: number; slots: Buffer; ends: string } & Record<OutcomeKind, number>

const mostOfOneByte = 255

/** Reads the ends of a row, in the order of their numbers. */
export function readEnds({ ends }: Pick<Slots, 'ends'>): TimedEnd[] {
  if (ends === '') return []
  const tuples = JSON.parse(ends) as ReturnType<typeof tupleOf>[]
  return tuples.map(([outcome, code, providerCode, variant, attempts, tokenVersion, at]) => {
    return { outcome, code, providerCode, variant, attempts, tokenVersion, at }
  })
}

/** Gives an end as it is stored: without the names of its fields, which would be longer than the values. */
const tupleOf = ({ outcome, code, providerCode, variant, attempts, tokenVersion, at }: TimedEnd) =>
  [outcome, code, providerCode, variant, attempts, tokenVersion, at] as const

/** Gives the number in the slot at an index of a row: the number of the push's end, or 0 while the push has no outcome. */
export const slotAt = ({ slots, size }: Pick<Slots, 'slots' | 'size'>, index: number): number =>
  (isWide(slots, size) ? slots.readUInt16BE(2 * index) : slots[index]) ?? 0

const isWide = (slots: Buffer, size: number): boolean => slots.length > size

/** Pushes of a row that just got the same end. `of` is the index of their entry in the list that was reported. */
export type Fresh = Omit<EndOfPlaces, 'places'> & { places: number[]; of: number }
export type Filled = { row: Slots; fresh: Fresh[] }

/**
 * Fills open slots of a row with the ends that `told` reports of its batch, in order. The first report of a push counts for ever. Places of other
 * rows are ignored. `fresh` says which slots were filled.
 */
export function fillSlots(row: Slots, told: readonly EndOfPlaces[], at: number): Filled {
  const ends = readEnds(row)
  const keys = ends.map((end) => JSON.stringify(tupleOf(end)))
  const filled = { ...row }
  const fresh: Fresh[] = []
  for (const [of, { places, ...end }] of told.entries()) {
    const mine: number[] = []
    let number = 0
    for (const place of places) {
      const index = place - row.place
      if (index < 0 || index >= row.size || slotAt(filled, index) !== 0) continue
      if (mine.length === 0) {
        const key = JSON.stringify(tupleOf({ ...end, at }))
        number = keys.indexOf(key) + 1 || keys.push(key)
        if (number > ends.length) ends.push({ ...end, at })
        // The slots are copied before they change, because the caller may read the row again as it was.
        if (filled.slots === row.slots) filled.slots = Buffer.from(row.slots)
        if (number > mostOfOneByte && !isWide(filled.slots, row.size)) filled.slots = widened(filled.slots)
      }
      if (isWide(filled.slots, row.size)) filled.slots.writeUInt16BE(number, 2 * index)
      else filled.slots[index] = number
      mine.push(place)
    }
    if (mine.length === 0) continue
    filled[end.outcome] += mine.length
    fresh.push({ ...end, places: mine, of })
  }
  if (fresh.length > 0) filled.ends = `[${keys.join(',')}]`
  return { row: filled, fresh }
}

function widened(slots: Buffer): Buffer {
  const wide = Buffer.alloc(2 * slots.length)
  for (const [index, number] of slots.entries()) wide.writeUInt16BE(number, 2 * index)
  return wide
}

/** Counts how many pushes of a row have each of its ends. The answer is in the order of the ends' numbers. */
export function countSlots(row: Slots): { end: TimedEnd; count: number }[] {
  const counted = readEnds(row).map((end) => ({ end, count: 0 }))
  for (let index = 0; index < row.size; index += 1) {
    const one = counted[slotAt(row, index) - 1]
    if (one) one.count += 1
  }
  return counted
}

/** Gives the places of a row's pushes that have an outcome, by end. */
export function endedPlaces(row: Slots): (EndOfPlaces & { at: number })[] {
  const ended = readEnds(row).map((end) => ({ ...end, places: [] as number[] }))
  for (let index = 0; index < row.size; index += 1) ended[slotAt(row, index) - 1]?.places.push(row.place + index)
  return ended
}

/** Reads the id at an index of packed ids, which take 12 bytes each. */
export const idAt = (ids: Buffer, index: number): string => ids.toString('hex', 12 * index, 12 * index + 12)

/** Finds the indexes of an id in packed ids. */
export function indexesOf(ids: Buffer, id: Buffer): number[] {
  const found: number[] = []
  for (let from = ids.indexOf(id); from !== -1; from = ids.indexOf(id, from + 1)) if (from % 12 === 0) found.push(from / 12)
  return found
}

/** A batch of at most this many pushes is stored as a row per push, which an index finds by device and by user. */
const fewPushes = 16
/** An id in base64 has this many characters. */
const idLength = 16

/** A row of a batch that audience has reported. `devices` and `users` are packed ids in base64, 16 characters for each id. */
export type NewRow = { place: number; size: number; firstId: string | null; lastId: string | null; devices: string; users: string }

/** Makes the rows of a batch: one row per push when the batch has at most 16 pushes, else a single row. */
export function rowsOf(devices: string, users: string): NewRow[] {
  const size = devices.length / idLength
  if (size <= fewPushes) {
    return Array.from({ length: size }, (_, place) => {
      const [from, to] = [idLength * place, idLength * (place + 1)]
      return { place, size: 1, firstId: null, lastId: null, devices: devices.slice(from, to), users: users.slice(from, to) }
    })
  }
  return [{ place: 0, size, ...rangeOf(Buffer.from(devices, 'base64')), devices, users }]
}

function rangeOf(ids: Buffer): { firstId: string; lastId: string } {
  let [first, last] = [0, 0]
  for (let at = 12; at < ids.length; at += 12) {
    // The ids in a batch mostly ascend, so for most ids this is the only comparison.
    if (ids.compare(ids, last, last + 12, at, at + 12) > 0) last = at
    else if (ids.compare(ids, first, first + 12, at, at + 12) < 0) first = at
  }
  return { firstId: idAt(ids, first / 12), lastId: idAt(ids, last / 12) }
}
