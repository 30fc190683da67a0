import { leavesOf } from './segment-match.ts'
import type { SegmentLeaf, SegmentNode } from './segment-tree.ts'

/**
 * The most units a segment may cost. A unit is 10 ns of one core for each device, so the most is 16 µs: 16 s for a million, 80 ms for a page.
 * Measured with expensive data (docs/decisions/0018).
 */
export const maxCost = 1_600

/**
 * The lists of all `in` and `nin` leaves of a segment may together hold at most this many values, which is 20 lists of full length. The number is
 * limited because the values travel with every page of a send.
 */
export const maxValues = 10_000

/**
 * Gives the cost of reading what a leaf compares: tags, the numbers of a version, or `lastNotifiedAt`. Undefined when that is cheap. Audience reads
 * each `fact` once for a device, however many leaves compare it.
 */
const costOfFact = (leaf: SegmentLeaf): { fact: string; units: number } | undefined => {
  const { field } = leaf
  if (field.on === 'tag') return { fact: 'tags', units: 20 }
  if (field.type === 'version' && !isAboutText(leaf)) return { fact: field.name, units: 400 }
  return field.name === 'lastNotifiedAt' ? { fact: field.name, units: 400 } : undefined
}

const isAboutText = ({ op }: SegmentLeaf): boolean => op === 'exists' || op === 'contains' || op === 'startsWith'

/** Gives the units for comparing the values of a leaf, without reading the fact. */
function costOfComparison(leaf: SegmentLeaf): number {
  const { field, op } = leaf
  if (field.on === 'tag') {
    if (op === 'eq' || op === 'ne' || op === 'exists') return 15
    if (op === 'in' || op === 'nin') return 30
    return 60
  }
  if (field.type === 'version' && 'values' in leaf) return 40 + leaf.values.length / 5
  if (field.type === 'date' || field.type === 'version') return 12
  if (field.type === 'language' && isAboutText(leaf)) return 40
  return isAboutText(leaf) ? 10 : 6
}

/** Makes a sum of the costs of leaves. After each leaf `add` says whether the sum is still allowed. */
export function openCost(): { add(leaf: SegmentLeaf): 'fits' | 'too_costly' | 'too_many_values' } {
  const facts = new Set<string>()
  let units = 0
  let values = 0
  return {
    add(leaf) {
      const dear = costOfFact(leaf)
      if (dear && !facts.has(dear.fact)) {
        facts.add(dear.fact)
        units += dear.units
      }
      units += costOfComparison(leaf)
      if ('values' in leaf) values += leaf.values.length
      if (values > maxValues) return 'too_many_values'
      return units > maxCost ? 'too_costly' : 'fits'
    },
  }
}

/** Gives what a node costs for a device of which nothing is known yet. Of two nodes the cheaper one is evaluated first. */
export const costOf = (node: SegmentNode): number =>
  leavesOf(node).reduce((sum, leaf) => sum + (costOfFact(leaf)?.units ?? 0) + costOfComparison(leaf), 0)
