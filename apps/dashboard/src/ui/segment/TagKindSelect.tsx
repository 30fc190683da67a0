import { asKind, kindOf, type TagKind } from '../../core/segment-values.ts'
import { controlClass } from './control-class.ts'

type TagKindSelectProps = { value: unknown; onChange: (value: unknown) => void; withBoolean: boolean }

const empty: Record<TagKind, unknown> = { text: '', number: 0, boolean: true }

/** Chooses the type of a tag's value. The type matters: the text 5 is another value than the number 5. */
export function TagKindSelect({ value, onChange, withBoolean }: TagKindSelectProps) {
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
