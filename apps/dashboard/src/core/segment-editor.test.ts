import * as fc from 'fast-check'
import { deviceFields, operatorsOf, parseSegment, userFields, type FieldType } from '@herald/contracts/segment'
import { describe, expect, test } from 'vitest'
import {
  addNode,
  canUngroup,
  changeKind,
  changeLeaf,
  childrenOf,
  countIds,
  deleteNode,
  findNode,
  groupNode,
  leavesOf,
  negateNode,
  readTree,
  ungroupNode,
  writeTree,
  type EditorNode,
  type EditorRoot,
} from './segment-editor.ts'
import { liftNode, moveNode } from './segment-moves.ts'
import { stepsOf } from './why-so-few.ts'

const fieldNames: [string, FieldType][] = [
  ...Object.entries(deviceFields),
  ...Object.entries(userFields).map(([name, type]): [string, FieldType] => [
    name === 'createdAt' || name === 'lastActiveAt' ? `user.${name}` : name,
    type,
  ]),
  ['tags.plan', 'tag'],
  ['tags.a.b:c-d', 'tag'],
]

const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed() && !text.includes('\0'))
const number = fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value))
const valueOf: Record<FieldType, fc.Arbitrary<unknown>> = {
  platform: fc.constantFrom('ios', 'android', 'web'),
  boolean: fc.boolean(),
  id: fc.constantFrom('0123456789abcdef01234567', '671a2b3c4d5e6f7081920a03'),
  string: word,
  language: fc.constantFrom('de', 'pt-BR', 'PT_br', 'iw', 'x'),
  zone: fc.constantFrom('Europe/Berlin', 'asia/kolkata', 'x'),
  country: fc.constantFrom('AT', 'de', ''),
  number,
  date: fc.constantFrom('-14d', '+2h', '2026-01-31', '2026-01-31T08:00:00Z', '2026-01-31T08:00:00+02:00', '-99999w'),
  version: fc.constantFrom('1', '10.2.0-beta', 'v3.4'),
  tag: fc.oneof(word, number, fc.boolean()),
}

const leaf = fc.constantFrom(...fieldNames).chain(([field, type]) =>
  fc.constantFrom(...operatorsOf[type]).chain((op) => {
    const isOrder = op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte'
    const single = type === 'tag' && isOrder ? fc.oneof(word, number) : valueOf[type]
    const value =
      op === 'exists'
        ? fc.boolean()
        : op === 'in' || op === 'nin'
          ? fc.array(valueOf[type], { minLength: 1, maxLength: 5 })
          : op === 'contains' || op === 'startsWith'
            ? word
            : op === 'eq' || op === 'ne'
              ? fc.oneof({ weight: 9, arbitrary: single }, { weight: 1, arbitrary: fc.constant(null) })
              : single
    return value.map((given): unknown => ({ field, op, value: given }))
  }),
)

const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', maxDepth: 7, withCrossShrink: true },
    leaf,
    fc.record({ and: fc.array(tie('node'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ or: fc.array(tie('node'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ not: tie('node') }),
  ),
}))
const validTree = fc
  .oneof({ weight: 1, arbitrary: fc.constant({}) }, { weight: 99, arbitrary: node })
  .filter((tree) => parseSegment(tree, '').ok)

const read = (definition: unknown, newId = countIds()): EditorRoot => {
  const root = readTree(definition, newId)
  if (root === 'unreadable') throw new Error('unreadable')
  return root
}
const nodesOf = (root: EditorRoot): EditorNode[] => (root === undefined ? [] : [root, ...childrenOf(root).flatMap(nodesOf)])
const texts = (root: EditorRoot): string[] =>
  leavesOf(root)
    .map(({ field, op, value }) => JSON.stringify([field, op, value]))
    .toSorted()
const plan = { field: 'tags.plan', op: 'eq', value: 'gold' }
const ios = { field: 'platform', op: 'eq', value: 'ios' }
const recent = { field: 'lastActiveAt', op: 'gte', value: '-14d' }
const idOf = (root: EditorRoot, field: string): string => leavesOf(root).find((found) => found.field === field)?.id ?? 'none'
/** Gives the id of the root's child at this place. */
const childAt = (root: EditorRoot, place: number): string => (root === undefined ? undefined : childrenOf(root)[place])?.id ?? 'none'

// spec: dashboard/segment-lossless
test('500 valid segments are unchanged after they were opened and saved in the editor', () => {
  fc.assert(
    fc.property(validTree, (tree) => {
      const asSent = JSON.parse(JSON.stringify(writeTree(read(tree)))) as unknown
      expect(asSent).toEqual(tree)
    }),
    { numRuns: 500 },
  )
})

test('every condition and every group in the editor has its own id', () => {
  fc.assert(
    fc.property(validTree, (tree) => {
      const ids = nodesOf(read(tree)).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

// spec: dashboard/segment-lossless
test('no moves and groupings lose or double a condition or empty a group; the result saves and opens again', () => {
  const change = fc.tuple(fc.nat(), fc.constantFrom('up', 'down', 'lift', 'group', 'ungroup', 'negate', 'all', 'any'))
  fc.assert(
    fc.property(validTree, fc.array(change, { minLength: 1, maxLength: 12 }), (tree, changes) => {
      const newId = countIds()
      const before = read(tree, newId)
      let root = before
      for (const [choice, what] of changes) {
        const nodes = nodesOf(root)
        const id = nodes[choice % Math.max(1, nodes.length)]?.id ?? ''
        if (what === 'up') root = moveNode(root, id, -1)
        if (what === 'down') root = moveNode(root, id, 1)
        if (what === 'lift') root = liftNode(root, id)
        if (what === 'group') root = groupNode(root, id, newId)
        if (what === 'ungroup') root = ungroupNode(root, id)
        if (what === 'negate') root = negateNode(root, id, newId)
        if (what === 'all') root = changeKind(root, id, 'and')
        if (what === 'any') root = changeKind(root, id, 'or')
      }
      expect(texts(root)).toEqual(texts(before))
      expect(writeTree(read(writeTree(root)))).toEqual(writeTree(root))
      const ids = nodesOf(root).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(nodesOf(root).every((found) => found.kind === 'leaf' || childrenOf(found).length > 0)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

describe('a definition that has not the form of a segment can only be edited as JSON', () => {
  test.each([
    [null],
    ['text'],
    [[plan]],
    [{ and: plan }],
    [{ and: [plan], or: [plan] }],
    [{ field: 'platform' }],
    [{ ...plan, extra: 1 }],
    [{ not: {} }],
    [{ and: [plan, 1] }],
  ])('%j has not the form of a segment and can only be edited as JSON', (definition) => {
    expect(readTree(definition, countIds())).toBe('unreadable')
  })
})

test('an unfinished condition stays in the editor', () => {
  const root = read({ and: [plan, ios] })
  const changed = changeLeaf(root, idOf(root, 'platform'), { value: undefined })
  expect(writeTree(changed)).toEqual({ and: [plan, { field: 'platform', op: 'eq' }] })
})

describe('moving a condition', () => {
  const moved = (definition: unknown, field: string, step: -1 | 1) => {
    const root = read(definition)
    return writeTree(moveNode(root, idOf(root, field), step))
  }
  test('a condition moves past its neighbour', () => {
    expect(moved({ and: [plan, ios] }, 'platform', -1)).toEqual({ and: [ios, plan] })
    expect(moved({ and: [plan, ios] }, 'tags.plan', 1)).toEqual({ and: [ios, plan] })
  })
  test('a condition moves into a group beside it, at the nearer end', () => {
    expect(moved({ and: [{ or: [plan, recent] }, ios] }, 'platform', -1)).toEqual({ and: [{ or: [plan, recent, ios] }] })
    expect(moved({ and: [ios, { or: [plan, recent] }] }, 'platform', 1)).toEqual({ and: [{ or: [ios, plan, recent] }] })
    expect(moved({ and: [ios, { not: { or: [plan] } }] }, 'platform', 1)).toEqual({ and: [{ not: { or: [ios, plan] } }] })
  })
  test('a condition at the edge of a group moves out of the group, and a group without conditions is removed', () => {
    expect(moved({ and: [recent, { or: [plan, ios] }] }, 'tags.plan', -1)).toEqual({ and: [recent, plan, { or: [ios] }] })
    expect(moved({ and: [recent, { not: { or: [plan] } }] }, 'tags.plan', -1)).toEqual({ and: [recent, plan] })
  })
  test('a condition moves together with the "not" around it', () => {
    expect(moved({ and: [plan, { not: ios }] }, 'platform', -1)).toEqual({ and: [{ not: ios }, plan] })
    expect(moved({ and: [{ not: ios }, plan] }, 'tags.plan', -1)).toEqual({ and: [plan, { not: ios }] })
  })
  test('the first condition cannot move up and the last cannot move down', () => {
    expect(moved({ and: [plan, ios] }, 'tags.plan', -1)).toEqual({ and: [plan, ios] })
    expect(moved({ and: [plan, ios] }, 'platform', 1)).toEqual({ and: [plan, ios] })
    expect(moved(plan, 'tags.plan', 1)).toEqual(plan)
    expect(moved({ not: plan }, 'tags.plan', 1)).toEqual({ not: plan })
  })
})

describe('grouping conditions', () => {
  test('a new group inside "all of these" is "any of these"', () => {
    const newId = countIds()
    const root = read({ and: [plan, ios] }, newId)
    expect(writeTree(groupNode(root, idOf(root, 'platform'), newId))).toEqual({ and: [plan, { or: [ios] }] })
  })
  test('a group is dissolved into the group around it, but not inside a “not”, which holds one condition', () => {
    const root = read({ and: [plan, { or: [ios, recent] }] })
    expect(writeTree(ungroupNode(root, childAt(root, 1)))).toEqual({ and: [plan, ios, recent] })
    const negated = read({ not: { or: [ios, recent] } })
    expect(canUngroup(negated, childAt(negated, 0))).toBe(false)
    expect(ungroupNode(negated, childAt(negated, 0))).toBe(negated)
  })
  test('"not" is put around a condition and removed again', () => {
    const newId = countIds()
    const root = read({ and: [plan, ios] }, newId)
    const negated = negateNode(root, idOf(root, 'platform'), newId)
    expect(writeTree(negated)).toEqual({ and: [plan, { not: ios }] })
    expect(writeTree(negateNode(negated, idOf(negated, 'platform'), newId))).toEqual({ and: [plan, ios] })
  })
})

describe('adding and deleting conditions', () => {
  const added = (definition: unknown) => {
    const newId = countIds()
    const more: EditorNode = { id: newId(), kind: 'leaf', ...recent }
    return writeTree(addNode(read(definition, newId), undefined, more, newId))
  }
  test('a condition is added at the end of a group', () => {
    const newId = countIds()
    const root = read({ and: [plan, { or: [ios] }] }, newId)
    const more: EditorNode = { id: newId(), kind: 'leaf', ...recent }
    expect(writeTree(addNode(root, childAt(root, 1), more, newId))).toEqual({ and: [plan, { or: [ios, recent] }] })
  })
  test('the first condition is the whole segment', () => expect(added({})).toEqual(recent))
  test('a second condition makes the group "all of these"', () => expect(added(plan)).toEqual({ and: [plan, recent] }))
  test('a condition that is added to no particular group goes to the end of the outermost group', () =>
    expect(added({ or: [plan, ios] })).toEqual({ or: [plan, ios, recent] }))
  test('a condition that is added beside a "not" makes the group "all of these"', () =>
    expect(added({ not: plan })).toEqual({ and: [{ not: plan }, recent] }))
  test('without its last condition a segment means everyone', () => {
    const root = read({ and: [{ not: plan }] })
    expect(writeTree(deleteNode(root, idOf(root, 'tags.plan')))).toEqual({})
  })
  test('deleting a condition or a group removes it and no condition outside of it', () => {
    fc.assert(
      fc.property(validTree, fc.nat(), (tree, choice) => {
        const root = read(tree)
        const nodes = nodesOf(root)
        const gone = nodes[choice % Math.max(1, nodes.length)]
        if (gone === undefined) return
        const after = deleteNode(root, gone.id)
        expect(findNode(after, gone.id)).toBeUndefined()
        const kept = leavesOf(root).filter(({ id }) => !leavesOf(gone).some((lost) => lost.id === id))
        expect(leavesOf(after).map(({ id }) => id)).toEqual(kept.map(({ id }) => id))
      }),
    )
  })
})

// spec: dashboard/estimate
describe('"Why so few?"', () => {
  test('"Why so few?" counts the conditions one after the other, each together with all before it', () => {
    expect(stepsOf(read({ and: [plan, ios, recent] })).map(({ definition }) => definition)).toEqual([
      {},
      plan,
      { and: [plan, ios] },
      { and: [plan, ios, recent] },
    ])
  })
  test('the last count of "Why so few?" is that of the whole segment', () => {
    fc.assert(
      fc.property(validTree, (tree) => {
        const last = stepsOf(read(tree)).at(-1)?.definition
        const [only] = (tree as { and?: unknown[] }).and ?? (tree as { or?: unknown[] }).or ?? []
        const isSingle = Object.values(tree as object).every((list) => Array.isArray(list) && list.length === 1)
        expect(last).toEqual(isSingle && only !== undefined ? only : tree)
      }),
    )
  })
})
