import type { End, EndOfPlaces, OutcomeKind } from '@herald/contracts/outcome'

/** An end as a row of the ledger knows it: with when it came, Unix milliseconds. */
export type SettledEnd = End & { at: number }

/**
 * A row of the ledger as its slots: the pushes at `place` to `place + size - 1` of a batch. A slot is the number of the push's end in `ends`,
 * counted from 1; 0 is open. It takes a byte, or two in a row that knows more than 255 ends.
 */
export type Slots = { place: number; size: number; slots: Buffer; ends: string } & Record<OutcomeKind, number>

const mostOfOneByte = 255

/** The ends of a row, in the order of their numbers. */
export function readEnds({ ends }: Pick<Slots, 'ends'>): SettledEnd[] {
  if (ends === '') return []
  const tuples = JSON.parse(ends) as ReturnType<typeof tupleOf>[]
  return tuples.map(([outcome, code, providerCode, variant, attempts, tokenVersion, at]) => {
    return { outcome, code, providerCode, variant, attempts, tokenVersion, at }
  })
}

/** Without the names, which would be longer than the values. */
const tupleOf = ({ outcome, code, providerCode, variant, attempts, tokenVersion, at }: SettledEnd) =>
  [outcome, code, providerCode, variant, attempts, tokenVersion, at] as const

/** The number of the end of the push at an index of the row; 0: it is open. */
export const slotAt = ({ slots, size }: Pick<Slots, 'slots' | 'size'>, index: number): number =>
  (isWide(slots, size) ? slots.readUInt16BE(2 * index) : slots[index]) ?? 0

const isWide = (slots: Buffer, size: number): boolean => slots.length > size

/** Slots that are all open. */
export const openSlots = (size: number): Buffer => Buffer.alloc(size)

/** Pushes that ended now, as their row and their ends' entries tell it. */
export type Fresh = Omit<EndOfPlaces, 'places'> & { places: number[]; of: number }
export type Filled = { row: Slots; fresh: Fresh[] }

/**
 * Fills the open slots of a row with what was told of its batch: a slot that is filled stays as it is, so who comes first is right for ever.
 * `told` is looked at in its order; each may name places of other rows of the batch. `fresh` is what was filled, `of` the index in `told`.
 */
export function fillSlots(row: Slots, told: readonly EndOfPlaces[], at: number): Filled {
  const ends = readEnds(row)
  const numbers = new Map(ends.map((end, index) => [JSON.stringify(tupleOf(end)), index + 1]))
  const filled = { ...row, slots: row.slots }
  const fresh: Fresh[] = []
  for (const [of, { places, ...end }] of told.entries()) {
    const mine = new Set(places.map((place) => place - row.place).filter((index) => index >= 0 && index < row.size))
    const open = [...mine].filter((index) => slotAt(filled, index) === 0)
    if (open.length === 0) continue
    const key = JSON.stringify(tupleOf({ ...end, at }))
    const number = numbers.get(key) ?? ends.push({ ...end, at })
    numbers.set(key, number)
    // Not written where it was read: what was read may be looked at again.
    if (filled.slots === row.slots) filled.slots = Buffer.from(row.slots)
    if (number > mostOfOneByte && !isWide(filled.slots, row.size)) filled.slots = widened(filled.slots)
    const wide = isWide(filled.slots, row.size)
    for (const index of open) {
      if (wide) filled.slots.writeUInt16BE(number, 2 * index)
      else filled.slots[index] = number
    }
    filled[end.outcome] += open.length
    fresh.push({ ...end, places: open.map((index) => row.place + index), of })
  }
  if (fresh.length > 0) filled.ends = JSON.stringify(ends.map(tupleOf))
  return { row: filled, fresh }
}

function widened(slots: Buffer): Buffer {
  const wide = Buffer.alloc(2 * slots.length)
  for (const [index, number] of slots.entries()) wide.writeUInt16BE(number, 2 * index)
  return wide
}

/** How many pushes of a row ended with each of its ends, in the order of their numbers, counted slot by slot. */
export function countSlots(row: Slots): { end: SettledEnd; count: number }[] {
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

/** A row of a batch that was reported: its devices and users lie one after another, 12 bytes each. */
export type NewRow = { place: number; size: number; firstId: Buffer | null; lastId: Buffer | null; devices: Buffer; users: Buffer }

/** The rows that a batch is kept as. */
export function rowsOf(devices: Buffer, users: Buffer): NewRow[] {
  const size = devices.length / 12
  if (size <= fewPushes) {
    return Array.from({ length: size }, (_, place) => {
      const [from, to] = [12 * place, 12 * place + 12]
      return { place, size: 1, firstId: null, lastId: null, devices: devices.subarray(from, to), users: users.subarray(from, to) }
    })
  }
  const ids = Array.from({ length: size }, (_, place) => devices.subarray(12 * place, 12 * place + 12)).toSorted((one, other) =>
    one.compare(other),
  )
  return [{ place: 0, size, firstId: ids[0] ?? null, lastId: ids.at(-1) ?? null, devices, users }]
}
