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

test('a trace without conditions has a segment that means everyone', () => {
  expect(drawn(treeOfLeaves([]))).toBe('everyone')
})

test('a segment of one condition is shown as that condition', () => {
  expect(drawn(treeOfLeaves([leaf('segment', true)]))).toBe('1')
})

test('the groups of a segment are rebuilt from its conditions, and each group says whether it is true', () => {
  const tree = treeOfLeaves([
    leaf('segment.and.0', true),
    leaf('segment.and.1.or.0', false),
    leaf('segment.and.1.or.1.not', false),
    leaf('segment.and.2.not.and.0', true),
    leaf('segment.and.2.not.and.1', true),
  ])
  expect(drawn(tree)).toBe('and0(1 or1(0 not1(0)) not0(and1(1 1)))')
})

test('the conditions of a group stay in the order of the segment, also when there are more than ten', () => {
  const tree = treeOfLeaves(Array.from({ length: 12 }, (_, place) => leaf(`segment.or.${11 - place}`, 11 - place === 10)))
  expect(drawn(tree)).toBe('or1(0 0 0 0 0 0 0 0 0 0 1 0)')
})

test('the text "7" and the number 7 are shown differently', () => {
  expect(shownValue('7')).toBe('"7"')
  expect(shownValue(7)).toBe('7')
  expect(shownValue(null)).toBe('Not set')
  expect(shownValue(Array.from({ length: 12 }, (_, no) => no))).toBe('[0,1,2,3,4,5,6,7,8,9, and 2 more]')
})
