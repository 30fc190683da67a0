import type { ExplainedLeaf } from '@herald/contracts/explain'
import { expect, test } from 'vitest'
import { shownValue, treeOfLeaves, type SegmentBranch } from './segment-leaves.ts'

const leaf = (path: string, matched: boolean): ExplainedLeaf => ({
  path,
  field: 'tags.plan',
  op: 'eq',
  wanted: 'pro',
  actual: null,
  matched,
})
const drawn = (branch: SegmentBranch | undefined): string => {
  if (branch === undefined) return 'everyone'
  if (branch.is === 'leaf') return branch.holds ? '1' : '0'
  return `${branch.is}${branch.holds ? 1 : 0}(${branch.nodes.map(drawn).join(' ')})`
}

test('a segment without leaves means everyone', () => {
  expect(drawn(treeOfLeaves([]))).toBe('everyone')
})

test('a segment of one condition is that leaf', () => {
  expect(drawn(treeOfLeaves([leaf('segment', true)]))).toBe('1')
})

test('groups are rebuilt from the paths of their leaves, and each says whether it holds', () => {
  const tree = treeOfLeaves([
    leaf('segment.and.0', true),
    leaf('segment.and.1.or.0', false),
    leaf('segment.and.1.or.1.not', false),
    leaf('segment.and.2.not.and.0', true),
    leaf('segment.and.2.not.and.1', true),
  ])
  expect(drawn(tree)).toBe('and0(1 or1(0 not1(0)) not0(and1(1 1)))')
})

test('the parts of a group stand in the order of the segment, also behind the tenth', () => {
  const tree = treeOfLeaves(Array.from({ length: 12 }, (_, place) => leaf(`segment.or.${11 - place}`, 11 - place === 10)))
  expect(drawn(tree)).toBe('or1(0 0 0 0 0 0 0 0 0 0 1 0)')
})

test('a text of digits and a number are shown apart', () => {
  expect(shownValue('7')).toBe('"7"')
  expect(shownValue(7)).toBe('7')
  expect(shownValue(null)).toBe('nothing')
  expect(shownValue(Array.from({ length: 12 }, (_, no) => no))).toBe('[0,1,2,3,4,5,6,7,8,9, and 2 more]')
})
