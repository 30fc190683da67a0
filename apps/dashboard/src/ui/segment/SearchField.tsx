import { useEffect, useId, useRef, useState } from 'react'
import { useShortcut } from '../../shell/useShortcut.ts'
import { controlClass } from '../TextInput.tsx'

type SearchFieldProps = { label: string; value: string; onChange: (value: string) => void; placeholder?: string }

/** A filter field that calls `onChange` 300 ms after the last key; the page then changes its address. The key `/` moves the focus to it. */
export function SearchField({ label, value, onChange, placeholder }: SearchFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [held, setHeld] = useState<{ text: string; known: string; sent: string | undefined }>({
    text: value,
    known: value,
    sent: undefined,
  })
  // While the operator types on, the address comes back with an older text than the field has. So only an address that this field did not write (by
  // Back or a link) replaces the text.
  if (value !== held.known) setHeld(value === held.sent ? { ...held, known: value } : { text: value, known: value, sent: undefined })
  const { text } = held
  useShortcut('/', () => input.current?.focus(), `Filter: ${label}`)
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => {
      setHeld((now) => ({ ...now, sent: text }))
      onChange(text)
    }, 300)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-muted text-xs">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        className={`${controlClass} w-full max-w-xs`}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setHeld({ ...held, text: target.value })}
      />
    </div>
  )
}
