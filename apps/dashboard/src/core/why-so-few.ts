import { writeTree, type EditorNode, type EditorRoot } from './segment-editor.ts'
import { describeNode } from './segment-text.ts'

/** One step of "Why so few?": what is asked so far, and what this step added. */
export type Step = { label: string; definition: Record<string, unknown> }

/** Counts asked for at most: a group has at most 50 nodes, and everyone comes before them. */
export const mostSteps = 51

/**
 * The conditions of a segment one after the other, each together with all before it. Of `all` each step can only lose people, so the largest
 * drop says which condition costs most; of `any` each step can only win some. What stands inside a group is one step.
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

/** The step that loses the most people, and how many; undefined when none loses any. */
export function largestDrop(counts: readonly number[]): { place: number; lost: number } | undefined {
  let largest: { place: number; lost: number } | undefined
  for (let place = 1; place < counts.length; place++) {
    const lost = counts[place - 1]! - counts[place]!
    if (lost > (largest?.lost ?? 0)) largest = { place, lost }
  }
  return largest
}
