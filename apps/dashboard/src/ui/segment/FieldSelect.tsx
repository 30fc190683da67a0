import { useState } from 'react'
import { fields, hintOf, typeOf } from '../../core/segment-fields.ts'
import { controlClass } from '../TextInput.tsx'
import { useSegment, type ControlMarks } from './SegmentContext.ts'

const typedTag = 'tags.'

/** Lets the operator choose the field of a condition: a device's, a user's, a known tag, or a tag by its name. */
export function FieldSelect({ field, onChange, control }: { field: string; onChange: (field: string) => void; control: ControlMarks }) {
  const { tags } = useSegment()
  const isKnownTag = tags.some(({ name }) => `tags.${name}` === field)
  const isTag = field.startsWith(typedTag)
  const [isTyping, setIsTyping] = useState(false)
  const isTyped = isTag && (isTyping || !isKnownTag)
  const isUnknown = !isTag && typeOf(field) === undefined
  return (
    <span className="flex flex-wrap gap-2">
      <select
        {...control}
        data-part="field"
        className={`${controlClass} max-w-44`}
        aria-label="Field"
        title={hintOf(field)}
        value={isTyped ? typedTag : field}
        onChange={(event) => {
          setIsTyping(event.target.value === typedTag)
          onChange(event.target.value)
        }}
      >
        {isUnknown && <option value={field}>{field} (unknown)</option>}
        <optgroup label="Device">
          {fields.map(
            ({ name, label, on }) =>
              on === 'device' && (
                <option key={name} value={name}>
                  {label}
                </option>
              ),
          )}
        </optgroup>
        <optgroup label="User">
          {fields.map(
            ({ name, label, on }) =>
              on === 'user' && (
                <option key={name} value={name}>
                  {label}
                </option>
              ),
          )}
        </optgroup>
        <optgroup label="Tags">
          {tags.map(({ name }) => (
            <option key={name} value={`tags.${name}`}>
              {name}
            </option>
          ))}
          <option value={typedTag}>A tag by its name</option>
        </optgroup>
      </select>
      {isTyped && (
        <input
          {...control}
          data-part="tag"
          className={`${controlClass} w-40`}
          aria-label="Name of the tag"
          placeholder="name of the tag"
          value={field.slice(typedTag.length)}
          onChange={(event) => onChange(`${typedTag}${event.target.value}`)}
        />
      )}
    </span>
  )
}
