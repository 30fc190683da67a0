import { useRef, useState, type ReactNode } from 'react'
import {
  addNode,
  canUngroup,
  changeKind,
  changeLeaf,
  deleteNode,
  findNode,
  groupNode,
  leavesOf,
  negateNode,
  parentOf,
  ungroupNode,
  type EditorLeaf,
  type EditorRoot,
} from '../../core/segment-editor.ts'
import { liftNode, moveNode } from '../../core/segment-moves.ts'
import { placeMistakes, problemOf } from '../../core/segment-mistakes.ts'
import { describeNode } from '../../core/segment-text.ts'
import { firstCondition } from '../../core/segment-values.ts'
import { Tabs } from '../Tabs.tsx'
import { SegmentContext, type SegmentActions, useKnownTags } from './SegmentContext.ts'
import { SegmentJson, type JsonDraft } from './SegmentJson.tsx'
import { SegmentTree } from './SegmentTree.tsx'
import { useFocusLater } from './useFocusLater.ts'
import { useSegmentTree, type SegmentBuilderProps } from './useSegmentTree.ts'

const noDetails: NonNullable<SegmentBuilderProps['details']> = []

/** Lets the operator edit a segment as conditions in groups, or as JSON. SegmentBuilder loads it when it is needed. */
export function SegmentEditor({ value, onChange, appId, details = noDetails }: SegmentBuilderProps): ReactNode {
  const { root, definition, newId, change, replace } = useSegmentTree(value, onChange)
  const [tab, setTab] = useState('conditions')
  const [said, setSaid] = useState('')
  const [draft, setDraft] = useState<JsonDraft>()
  const [answered, setAnswered] = useState<string>()
  const frame = useRef<HTMLDivElement>(null)
  const focusLater = useFocusLater(frame)
  const tags = useKnownTags(appId)
  // The API's mistakes are about the segment that was sent, so they are hidden at the next change.
  const told = JSON.stringify(details)
  const heard = told === answered ? noDetails : details
  const tree = root === 'unreadable' ? undefined : root
  const problem = root === 'unreadable' ? undefined : problemOf(definition)
  const mistakes = placeMistakes(tree, [...(problem ? [problem] : []), ...heard])

  function edit(next: EditorRoot, text?: string): void {
    if (next === tree) return
    setAnswered(told)
    change(next)
    setSaid(text ?? '')
  }
  const newLeaf = (): EditorLeaf => ({ id: newId(), kind: 'leaf', field: 'platform', ...firstCondition('platform') })
  const nameOf = (id: string): string => {
    const node = findNode(tree, id)
    return node === undefined ? '' : describeNode(node)
  }
  /** Moves the focus to the condition after the deleted one, else to the one before it, else to the button that adds a condition. */
  function focusBeside(id: string): void {
    const gone = findNode(tree, id)
    const leaves = leavesOf(tree)
    const lost = new Set(gone === undefined ? [] : leavesOf(gone).map((leaf) => leaf.id))
    const place = leaves.findIndex((leaf) => lost.has(leaf.id))
    const beside = leaves.slice(place).find((leaf) => !lost.has(leaf.id)) ?? leaves.slice(0, place).at(-1)
    focusLater(beside?.id ?? 'add', 'field')
  }

  const actions: SegmentActions = {
    tags,
    mistakesOf: (ids) => ids.flatMap((id) => mistakes.get(id) ?? []),
    canUngroup: (id) => canUngroup(tree, id),
    changeLeaf: (id, changes) => edit(changeLeaf(tree, id, changes)),
    changeKind: (id, kind) => edit(changeKind(tree, id, kind)),
    addLeaf: (groupId) => {
      const leaf = newLeaf()
      focusLater(leaf.id, 'field')
      edit(addNode(tree, groupId, leaf, newId))
    },
    addGroup: (groupId) => {
      const leaf = newLeaf()
      const around = groupId === undefined ? tree : findNode(tree, groupId)
      focusLater(leaf.id, 'field')
      edit(addNode(tree, groupId, { id: newId(), kind: around?.kind === 'or' ? 'and' : 'or', children: [leaf] }, newId))
    },
    move: (id, step) => {
      focusLater(id)
      edit(moveNode(tree, id, step), `${nameOf(id)}: moved ${step === -1 ? 'up' : 'down'}`)
    },
    lift: (id) => {
      focusLater(id)
      edit(liftNode(tree, id), `${nameOf(id)}: taken out of its group`)
    },
    group: (id) => {
      focusLater(id)
      const kind = parentOf(tree, id)?.kind === 'or' ? 'all' : 'any'
      edit(groupNode(tree, id, newId), `${nameOf(id)}: in a group of its own, ${kind} of these`)
    },
    ungroup: (id) => {
      const first = leavesOf(findNode(tree, id))[0]
      if (first) focusLater(first.id, 'field')
      edit(ungroupNode(tree, id), 'The group is gone. Its conditions stay.')
    },
    negate: (id) => {
      focusLater(id)
      edit(negateNode(tree, id, newId), parentOf(tree, id)?.kind === 'not' ? 'Included again' : 'Turned into "not"')
    },
    remove: (id) => {
      focusBeside(id)
      edit(deleteNode(tree, id), `${nameOf(id)}: removed`)
    },
  }

  return (
    <div ref={frame} className="flex flex-col gap-3">
      <Tabs
        label="How the segment is shown"
        value={tab}
        onChange={setTab}
        items={[
          { value: 'conditions', label: 'Conditions' },
          { value: 'json', label: 'JSON' },
        ]}
      />
      {tab === 'json' ? (
        <SegmentJson
          definition={definition}
          details={heard}
          draft={draft}
          onDraft={setDraft}
          onChange={(next) => {
            setAnswered(told)
            replace(next)
          }}
        />
      ) : (
        <SegmentContext value={actions}>
          {/* Says to screen readers what the last change has done. */}
          <p role="status" className="sr-only">
            {said}
          </p>
          <SegmentTree root={root} onShowJson={() => setTab('json')} />
        </SegmentContext>
      )}
    </div>
  )
}
