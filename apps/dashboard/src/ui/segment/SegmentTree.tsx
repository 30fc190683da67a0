import { Plus } from 'lucide-react'
import { useId } from 'react'
import type { EditorRoot, EditorLeaf, EditorList, EditorNode } from '../../core/segment-editor.ts'
import { Button } from '../Button.tsx'
import { Menu } from '../Menu.tsx'
import { controlClass } from '../TextInput.tsx'
import { useSegment } from './SegmentContext.ts'
import { Mistakes, NotWords, useRowKeys } from './SegmentRow.tsx'
import { SegmentLeaf } from './SegmentLeaf.tsx'

/** Shows the conditions of a segment, and the buttons that add a condition or a group. */
export function SegmentTree({ root, onShowJson }: { root: EditorRoot | 'unreadable'; onShowJson: () => void }) {
  const { addLeaf, addGroup } = useSegment()
  if (root === 'unreadable') {
    return (
      <p>
        This segment can only be edited as JSON.{' '}
        <Button variant="secondary" small onClick={onShowJson}>
          Edit as JSON
        </Button>
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      {root === undefined ? (
        <p className="text-muted">Everyone who can be reached. Add a condition to choose some of them.</p>
      ) : (
        <ul className="flex flex-col gap-2" aria-label="Conditions">
          <SegmentNode node={root} isRoot />
        </ul>
      )}
      <div className="flex flex-wrap gap-2" data-node="add">
        <Button variant="secondary" small icon={<Plus size={14} aria-hidden />} data-part="field" onClick={() => addLeaf()}>
          Add a condition
        </Button>
        {root !== undefined && (
          <Button variant="quiet" small icon={<Plus size={14} aria-hidden />} onClick={() => addGroup()}>
            Add a group
          </Button>
        )}
      </div>
      <p className="text-muted text-xs">
        Keys inside a condition: Alt ↑ and Alt ↓ move it, Alt → puts it into a group, Alt ← takes it out of its group.
      </p>
    </div>
  )
}

/** Takes the `not`s off a node and gives their ids (`nots`). A `not` is a word in the row of `inner`, and this row shows the mistakes of the `not` too. */
function unwrap(node: EditorNode): { inner: EditorLeaf | EditorList; nots: string[] } {
  const nots: string[] = []
  let inner = node
  while (inner.kind === 'not') {
    nots.push(inner.id)
    inner = inner.child
  }
  return { inner, nots }
}

/** Shows a node of the segment: a condition, or a group with its conditions. */
function SegmentNode({ node, isRoot = false }: { node: EditorNode; isRoot?: boolean }) {
  const { inner, nots } = unwrap(node)
  return inner.kind === 'leaf' ? <SegmentLeaf leaf={inner} nots={nots} /> : <SegmentGroup list={inner} nots={nots} isRoot={isRoot} />
}

/** Shows a group of conditions of which all, or any, must be true. */
function SegmentGroup({ list, nots, isRoot }: { list: EditorList; nots: readonly string[]; isRoot: boolean }) {
  const actions = useSegment()
  const onKeyDown = useRowKeys(list.id)
  const mistakesId = useId()
  const mistakes = actions.mistakesOf([...nots, list.id])
  const name = `${nots.length % 2 === 1 ? 'Not ' : ''}${list.kind === 'and' ? 'all' : 'any'} of these`
  return (
    <li className={isRoot ? 'flex flex-col gap-2' : 'flex flex-col gap-2 rounded-md border border-line bg-sunken p-2'} data-node={list.id}>
      {/* Alt with an arrow moves the group while one of these controls has the focus. The rows inside have handlers of their own. */}
      <div className="flex flex-wrap items-center gap-2" onKeyDownCapture={onKeyDown} role="presentation">
        <NotWords count={nots.length} />
        <select
          data-part="field"
          className={controlClass}
          aria-label="How many of the group must be true"
          aria-describedby={mistakes.length > 0 ? mistakesId : undefined}
          value={list.kind}
          onChange={(event) => actions.changeKind(list.id, event.target.value === 'or' ? 'or' : 'and')}
        >
          <option value="and">All of these</option>
          <option value="or">Any of these</option>
        </select>
        <span className="text-muted">{list.kind === 'and' ? 'must be true' : 'is enough'}</span>
        <span className="ml-auto">
          <Menu
            label={`Change the group "${name}"`}
            items={[
              { label: nots.length > 0 ? 'Include' : 'Exclude', onSelect: () => actions.negate(list.id) },
              { label: 'Move up', onSelect: () => actions.move(list.id, -1), disabled: isRoot },
              { label: 'Move down', onSelect: () => actions.move(list.id, 1), disabled: isRoot },
              { label: 'Put into a group', onSelect: () => actions.group(list.id) },
              {
                label: 'Ungroup',
                onSelect: () => actions.ungroup(list.id),
                disabled: !actions.canUngroup(list.id),
              },
              { label: 'Remove the group with its conditions', onSelect: () => actions.remove(list.id), danger: true },
            ]}
          />
        </span>
      </div>
      <Mistakes id={mistakesId} mistakes={mistakes} />
      <ul className="flex flex-col gap-2 border-l-2 border-line pl-2 sm:pl-3" aria-label={name}>
        {list.children.map((child) => (
          <SegmentNode key={child.id} node={child} />
        ))}
      </ul>
      {!isRoot && (
        <div className="flex flex-wrap gap-2">
          <Button variant="quiet" small icon={<Plus size={14} aria-hidden />} onClick={() => actions.addLeaf(list.id)}>
            Add to this group
          </Button>
        </div>
      )}
    </li>
  )
}
