import { Trash2 } from 'lucide-react'
import { useId } from 'react'
import type { EditorLeaf } from '../../core/segment-editor.ts'
import { labelOf, typeOf } from '../../core/segment-fields.ts'
import { conditionFor } from '../../core/segment-values.ts'
import { Button } from '../Button.tsx'
import { Menu } from '../Menu.tsx'
import { FieldSelect } from './FieldSelect.tsx'
import { Mistakes, NotWords, useRowKeys } from './SegmentRow.tsx'
import { OperatorSelect } from './OperatorSelect.tsx'
import { useSegment } from './SegmentContext.ts'
import { ValueEditor } from './ValueEditor.tsx'

/** Lets the operator edit one condition: its field, its operator and its value. */
export function SegmentLeaf({ leaf, nots }: { leaf: EditorLeaf; nots: readonly string[] }) {
  const actions = useSegment()
  const onKeyDown = useRowKeys(leaf.id)
  const mistakesId = useId()
  const mistakes = actions.mistakesOf([...nots, leaf.id])
  const type = typeOf(leaf.field)
  const wrong = (part: string) => ({
    'aria-invalid': mistakes.some((mistake) => mistake.part === part) || undefined,
    'aria-describedby': mistakes.length > 0 ? mistakesId : undefined,
  })
  const changeField = (field: string) => actions.changeLeaf(leaf.id, { field, ...conditionFor(type, typeOf(field), leaf.op, leaf.value) })
  return (
    <li data-node={leaf.id} className="flex flex-col gap-1 rounded-md border border-line bg-surface p-2">
      <div className="flex items-start gap-2" role="group" aria-label={`Condition on ${labelOf(leaf.field)}`} onKeyDownCapture={onKeyDown}>
        <div className="flex min-w-0 flex-1 flex-wrap items-start gap-2">
          <NotWords count={nots.length} />
          <FieldSelect field={leaf.field} onChange={changeField} control={wrong('field')} />
          <OperatorSelect leaf={leaf} type={type} onChange={(changes) => actions.changeLeaf(leaf.id, changes)} control={wrong('op')} />
          <ValueEditor leaf={leaf} type={type} onChange={(value) => actions.changeLeaf(leaf.id, { value })} control={wrong('value')} />
        </div>
        <span className="flex shrink-0">
          <Menu
            label={`Arrange the condition on ${labelOf(leaf.field)}`}
            items={[
              { label: nots.length > 0 ? 'Include' : 'Exclude', onSelect: () => actions.negate(leaf.id) },
              { label: 'Move up (Alt ↑)', onSelect: () => actions.move(leaf.id, -1) },
              { label: 'Move down (Alt ↓)', onSelect: () => actions.move(leaf.id, 1) },
              { label: 'Put into a group (Alt →)', onSelect: () => actions.group(leaf.id) },
              { label: 'Take out of its group (Alt ←)', onSelect: () => actions.lift(leaf.id) },
            ]}
          />
          <Button
            variant="quiet"
            small
            icon={<Trash2 size={14} aria-hidden />}
            aria-label={`Remove the condition on ${labelOf(leaf.field)}`}
            onClick={() => actions.remove(leaf.id)}
          />
        </span>
      </div>
      <Mistakes id={mistakesId} mistakes={mistakes} />
    </li>
  )
}
