import { useId } from 'react'
import { changeEntry, entryOf, type ContentDraft, type EntryDraft } from '../../core/content-draft.ts'
import type { KnownTag } from '../../core/complete-placeholder.ts'
import { ActionsEditor } from './ActionsEditor.tsx'
import { FromTemplate } from './FromTemplate.tsx'
import { LocaleTabs } from './LocaleTabs.tsx'
import { TextField } from './TextField.tsx'

/** Gives what is wrong with a field, by the field's path in the content: `de.actions.0.title`. */
export type ErrorAt = (path: string) => string | undefined

const most = { title: 250, body: 2000, url: 2048, image: 2048 }

/**
 * The texts of a message in each language. `value` goes in and changes come out; nothing is refused while one writes. With `template` what equals the
 * template's field is marked as taken from it, and what differs can be taken back.
 */
export function ContentEditor({
  value,
  onChange,
  locale,
  onLocale,
  tags,
  dataKeys,
  errorAt,
  template,
  languages,
}: {
  value: ContentDraft
  onChange: (value: ContentDraft) => void
  /** The user for whom the text is filled in on screen. */
  locale: string
  onLocale: (locale: string) => void
  tags: readonly KnownTag[]
  dataKeys: readonly string[]
  errorAt: ErrorAt
  template?: ContentDraft | undefined
  /** The languages of users of the audience, from which locales are suggested. */
  languages?: readonly (string | null)[] | undefined
}) {
  const panel = useId()
  const shown = value.entries.some((one) => one.locale === locale) ? locale : value.fallback
  const entry = entryOf(value, shown)
  const change = (changed: Partial<EntryDraft>) => onChange(changeEntry(value, shown, changed))
  const original = template?.entries.find((one) => one.locale === shown)?.entry
  const note = (field: 'title' | 'body' | 'url' | 'image') =>
    original && <FromTemplate isSame={original[field] === entry[field]} onTake={() => change({ [field]: original[field] })} />
  const field = (name: 'title' | 'body' | 'url' | 'image') => ({
    value: entry[name],
    onChange: (text: string) => change({ [name]: text }),
    error: errorAt(`${shown}.${name}`),
    most: most[name],
    tags,
    dataKeys,
    note: note(name),
  })

  return (
    <div className="flex flex-col gap-4">
      <LocaleTabs
        value={value}
        onChange={onChange}
        locale={shown}
        onLocale={onLocale}
        panel={panel}
        languages={languages}
        errorAt={errorAt}
      />
      <div id={panel} role="tabpanel" aria-label={`Text in ${shown}`} lang={shown} className="flex flex-col gap-4">
        <TextField label="Title" required {...field('title')} />
        <TextField label="Text" required lines {...field('body')} hint="Type {{ to put in what is known of a person." />
        <TextField label="Link" {...field('url')} placeholder="https://example.com/orders or shop://cart" isAddress />
        <TextField label="Picture" {...field('image')} placeholder="https://example.com/picture.png" isAddress />
        <ActionsEditor
          actions={entry.actions}
          onChange={(actions) => change({ actions })}
          errorAt={(path) => errorAt(`${shown}.actions${path}`)}
          tags={tags}
          dataKeys={dataKeys}
          note={
            original && (
              <FromTemplate
                isSame={JSON.stringify(original.actions) === JSON.stringify(entry.actions)}
                onTake={() => change({ actions: original.actions })}
              />
            )
          }
        />
        {errorAt(shown) !== undefined && <p className="text-sm text-bad">{errorAt(shown)}</p>}
      </div>
    </div>
  )
}
