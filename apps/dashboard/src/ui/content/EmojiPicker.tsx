import { useState } from 'react'
import { findEmoji } from '../../core/emoji.ts'
import { TextInput } from '../TextInput.tsx'

/** The most used emoji by subject, with a search. */
export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  const [typed, setTyped] = useState('')
  const groups = findEmoji(typed)
  return (
    <div role="group" aria-label="Emoji" className="flex flex-col gap-2 rounded-md border border-line bg-surface p-3">
      <TextInput
        type="search"
        aria-label="Find an emoji"
        placeholder="Find an emoji, such as party"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        autoFocus
      />
      <div className="flex max-h-52 flex-col gap-2 overflow-y-auto" tabIndex={-1}>
        {groups.map(({ name, emoji }) => (
          <div key={name}>
            <p className="text-xs text-muted">{name}</p>
            <div className="flex flex-wrap">
              {emoji.map(([one, words]) => (
                <button
                  key={one}
                  type="button"
                  aria-label={words}
                  title={words}
                  className="grid size-8 place-items-center rounded text-lg hover:bg-sunken"
                  onClick={() => onPick(one)}
                >
                  {one}
                </button>
              ))}
            </div>
          </div>
        ))}
        {groups.length === 0 && (
          <p className="text-muted">None of these. Your system has all: Ctrl + . on Linux, Windows + . or Ctrl + ⌘ + Space.</p>
        )}
      </div>
    </div>
  )
}
