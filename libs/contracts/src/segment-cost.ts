import { leavesOf } from './segment-match.ts'
import type { SegmentLeaf, SegmentNode } from './segment-tree.ts'

/**
 * The most that a segment may cost, in units of 10 ns per device. The units were measured over 200,000 devices with the dearest data
 * (docs/decisions/0014). So 16 µs for each device are 16 s of one core for a count of a million devices (8 s on the two cores that a count gets), and 80 ms for a
 * page of a send. A hundred leaves of ordinary fields cost less than half of it. A count that takes longer than 18 s is ended.
 */
export const maxCost = 1_600

/** The most values in all lists of a segment's `in` and `nin` together: 20 full lists. They travel with every page of a send. */
export const maxValues = 10_000

/** The units of a fact about a device that is dear to find out. It is found out once, however many leaves ask for it. */
const costOfFact = (leaf: SegmentLeaf): { fact: string; units: number } | undefined => {
  const { field } = leaf
  if (field.on === 'tag') return { fact: 'tags', units: 20 }
  if (field.type === 'version' && !isAboutText(leaf)) return { fact: field.name, units: 400 }
  return field.name === 'lastNotifiedAt' ? { fact: field.name, units: 400 } : undefined
}

const isAboutText = ({ op }: SegmentLeaf): boolean => op === 'exists' || op === 'contains' || op === 'startsWith'

/** Units for the comparison alone. */
function costOfComparison(leaf: SegmentLeaf): number {
  const { field, op } = leaf
  if (field.on === 'tag') {
    if (op === 'eq' || op === 'ne' || op === 'exists') return 15
    if (op === 'in' || op === 'nin') return 30
    return 60
  }
  if (field.type === 'version' && 'values' in leaf) return 40 + leaf.values.length / 5
  if (field.type === 'date' || field.type === 'version') return 12
  return isAboutText(leaf) ? 10 : 6
}

/** Adds up the cost of leaves. After each leaf it says whether the sum is still allowed. */
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

/** What a node costs when nothing is known of the device yet. Of two nodes the cheaper one is asked first. */
export const costOf = (node: SegmentNode): number =>
  leavesOf(node).reduce((sum, leaf) => sum + (costOfFact(leaf)?.units ?? 0) + costOfComparison(leaf), 0)
