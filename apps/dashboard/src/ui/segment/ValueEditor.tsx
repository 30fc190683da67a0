import type { FieldType } from '@herald/contracts/segment-tree'
import { platformNames, platforms } from '@herald/contracts/platform'
import type { EditorLeaf } from '../../core/segment-editor.ts'
import { isList, kindOf, asKind, type TagKind } from '../../core/segment-values.ts'
import { Button } from '../Button.tsx'
import { controlClass } from '../TextInput.tsx'
import { DateValue } from './DateValue.tsx'
import { ListValue } from './ListValue.tsx'
import { SingleValue } from './SingleValue.tsx'
import type { ValueProps } from './SegmentContext.ts'

type ValueEditorProps = Omit<ValueProps, 'value'> & { leaf: EditorLeaf; type: FieldType | undefined }

/** Asks the operator for the value of a condition, with a control that fits the field's type. */
export function ValueEditor({ leaf, type, onChange, control }: ValueEditorProps) {
  const { field, op, value } = leaf
  const shared = { value, onChange, control }
  if (op === 'exists' && typeof value === 'boolean') return null
  if (value === null) {
    return (
      <span className="flex items-center gap-2">
        nothing
        <Button variant="quiet" small data-part="value" onClick={() => onChange(type === 'number' ? 0 : '')}>
          Give a value
        </Button>
      </span>
    )
  }
  if (isList(op) && Array.isArray(value)) {
    if (type === 'platform') return <PlatformValue {...shared} value={value} />
    return <ListValue {...shared} value={value} field={field} type={type} />
  }
  if (type === 'date') return <DateValue {...shared} />
  const isText = op === 'contains' || op === 'startsWith'
  return (
    <span className="flex flex-wrap gap-2">
      {type === 'tag' && !isText && <TagKindSelect value={value} onChange={onChange} withBoolean={op === 'eq' || op === 'ne'} />}
      <SingleValue {...shared} field={field} type={type} kind={isText ? 'text' : type === 'tag' ? kindOf(value) : undefined} />
    </span>
  )
}

type TagKindSelectProps = { value: unknown; onChange: (value: unknown) => void; withBoolean: boolean }

const empty: Record<TagKind, unknown> = { text: '', number: 0, boolean: true }

/** Lets the operator choose the type of a tag's value. The type matters: the text 5 is another value than the number 5. */
function TagKindSelect({ value, onChange, withBoolean }: TagKindSelectProps) {
  return (
    <select
      className={controlClass}
      aria-label="Kind of value"
      data-part="kind"
      value={kindOf(value)}
      onChange={({ target }) => {
        const kind = target.value as TagKind
        onChange(asKind(value, kind) ?? empty[kind])
      }}
    >
      <option value="text">text</option>
      <option value="number">number</option>
      {(withBoolean || kindOf(value) === 'boolean') && <option value="boolean">true or false</option>}
    </select>
  )
}

/** Lets the operator choose platforms by checkboxes. Other values in the list stay, so that nothing is lost. */
function PlatformValue({ value, onChange, control }: ValueProps & { value: unknown[] }) {
  const set = (platform: string, isOn: boolean) => onChange(isOn ? [...value, platform] : value.filter((known) => known !== platform))
  return (
    <span className="flex flex-wrap items-center gap-3 py-1" role="group" aria-label="Platforms">
      {platforms.map((platform) => (
        <label key={platform} className="flex items-center gap-1.5">
          <input
            {...control}
            type="checkbox"
            data-part={`value-${platform}`}
            checked={value.includes(platform)}
            onChange={(event) => set(platform, event.target.checked)}
          />
          {platformNames[platform]}
        </label>
      ))}
    </span>
  )
}
