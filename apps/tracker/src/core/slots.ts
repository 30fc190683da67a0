import type { End, EndOfPlaces, OutcomeKind } from '@herald/contracts/outcome'

/** An end as a row of the ledger knows it: with when it came, Unix milliseconds. */
export type TimedEnd = End & { at: number }

/**
 * A row of the ledger as its slots: the pushes at `place` to `place + size - 1` of a batch. A slot is the number of the push's end in `ends`,
 * counted from 1; 0 is open. It takes a byte, or two in a row that knows more than 255 ends.
 */
export type Slots = { place: number; size: number; slots: Buffer; ends: string } & Record<OutcomeKind, number>

const mostOfOneByte = 255

/** The ends of a row, in the order of their numbers. */
export function readEnds({ ends }: Pick<Slots, 'ends'>): TimedEnd[] {
  if (ends === '') return []
  const tuples = JSON.parse(ends) as ReturnType<typeof tupleOf>[]
  return tuples.map(([outcome, code, providerCode, variant, attempts, tokenVersion, at]) => {
    return { outcome, code, providerCode, variant, attempts, tokenVersion, at }
  })
}

/** Without the names, which would be longer than the values. */
const tupleOf = ({ outcome, code, providerCode, variant, attempts, tokenVersion, at }: TimedEnd) =>
  [outcome, code, providerCode, variant, attempts, tokenVersion, at] as const

/** The number of the end of the push at an index of the row; 0: it is open. */
export const slotAt = ({ slots, size }: Pick<Slots, 'slots' | 'size'>, index: number): number =>
  (isWide(slots, size) ? slots.readUInt16BE(2 * index) : slots[index]) ?? 0

const isWide = (slots: Buffer, size: number): boolean => slots.length > size

/** Pushes that ended now, as their row and their ends' entries tell it. */
export type Fresh = Omit<EndOfPlaces, 'places'> & { places: number[]; of: number }
export type Filled = { row: Slots; fresh: Fresh[] }

/**
 * Fills the open slots of a row with what was told of its batch: a slot that is filled stays as it is, so who comes first is right for ever.
 * `told` is looked at in its order; each may name places of other rows of the batch. `fresh` is what was filled, `of` the index in `told`.
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
        // Not written where it was read: what was read may be looked at again.
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

/** How many pushes of a row ended with each of its ends, in the order of their numbers, counted slot by slot. */
export function countSlots(row: Slots): { end: TimedEnd; count: number }[] {
  const counted = readEnds(row).map((end) => ({ end, count: 0 }))
  for (let index = 0; index < row.size; index += 1) {
    const one = counted[slotAt(row, index) - 1]
    if (one) one.count += 1
  }
  return counted
}

/** Of a row the pushes that ended, by end: what a dispatcher that takes a batch over asks. */
export function endedPlaces(row: Slots): (EndOfPlaces & { at: number })[] {
  const ended = readEnds(row).map((end) => ({ ...end, places: [] as number[] }))
  for (let index = 0; index < row.size; index += 1) ended[slotAt(row, index) - 1]?.places.push(row.place + index)
  return ended
}

/** The id at an index of ids that lie one after another, 12 bytes each. */
export const idAt = (ids: Buffer, index: number): string => ids.toString('hex', 12 * index, 12 * index + 12)

/** At which indexes an id lies. */
export function indexesOf(ids: Buffer, id: Buffer): number[] {
  const found: number[] = []
  for (let from = ids.indexOf(id); from !== -1; from = ids.indexOf(id, from + 1)) if (from % 12 === 0) found.push(from / 12)
  return found
}

/** A batch of at most so many pushes is kept as a row per push, which an index finds by device and by user. */
const fewPushes = 16
/** Characters of an id in base64. */
const idLength = 16

/** A row of a batch that was reported. Devices and users lie one after another, in base64: 16 characters each. */
export type NewRow = { place: number; size: number; firstId: string | null; lastId: string | null; devices: string; users: string }

/** The rows that a batch is kept as. */
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

/** The lowest and the highest id. */
function rangeOf(ids: Buffer): { firstId: string; lastId: string } {
  let [first, last] = [0, 0]
  for (let at = 12; at < ids.length; at += 12) {
    // Ids of a page come in their order as a rule.
    if (ids.compare(ids, last, last + 12, at, at + 12) > 0) last = at
    else if (ids.compare(ids, first, first + 12, at, at + 12) < 0) first = at
  }
  return { firstId: idAt(ids, first / 12), lastId: idAt(ids, last / 12) }
}
