import { writeTree, type EditorNode, type EditorRoot } from './segment-editor.ts'
import { describeNode } from './segment-text.ts'

/** One step of "Why so few?": the conditions up to this step, and the name of the one that it adds. */
export type Step = { label: string; definition: Record<string, unknown> }

/** "Why so few?" makes at most this many counts: one for everyone, and one for each of the at most 50 nodes of a group. */
const mostSteps = 51

/**
 * Gives the steps of "Why so few?": everyone, then the outermost group's conditions, each with all before it. With "all of these" steps only
 * lose devices, with "any of these" they only add. An inner group is one step.
 */
export function stepsOf(root: EditorRoot): Step[] {
  const everyone: Step = { label: 'Everyone', definition: {} }
  if (root === undefined) return [everyone]
  if (root.kind !== 'and' && root.kind !== 'or') return [everyone, { label: describeNode(root), definition: writeTree(root) }]
  const { kind, children } = root
  const joint = kind === 'and' ? 'and' : 'or'
  const soFar = (count: number): EditorNode => (count === 1 ? children[0]! : { ...root, children: children.slice(0, count) })
  const added = children.map((child, place) => ({
    label: place === 0 ? describeNode(child) : `${joint} ${describeNode(child)}`,
    definition: writeTree(soFar(place + 1)),
  }))
  return [everyone, ...added].slice(0, mostSteps)
}

/** Gives the step that loses the most devices, and how many; undefined when no step loses any. */
export function largestDrop(counts: readonly number[]): { place: number; lost: number } | undefined {
  let largest: { place: number; lost: number } | undefined
  for (let place = 1; place < counts.length; place++) {
    const lost = counts[place - 1]! - counts[place]!
    if (lost > (largest?.lost ?? 0)) largest = { place, lost }
  }
  return largest
}
