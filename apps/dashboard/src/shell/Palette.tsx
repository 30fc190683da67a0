import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { faultOf } from '../api/fault.ts'
import { useMay } from '../session/May.tsx'
import { useSystem } from '../session/useSystem.ts'
import { openLayer } from '../ui/layers.ts'
import { paletteActions } from './palette-actions.ts'
import { usePaletteSearch } from './usePaletteSearch.ts'

/** A dialog that finds pages and actions by their names, and apps, campaigns, users and other objects by their names or ids. */
export function Palette({ appId, onClose, openHelp }: { appId: string | undefined; onClose: () => void; openHelp: () => void }) {
  const router = useRouter()
  const isSimulated = useSystem().data?.simulator === true
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const { data: found, isFetching, error } = usePaletteSearch(text, appId)
  const go = (href: string): void => router.history.push(router.basepath + href)
  const actions = paletteActions({ appId, isSimulated, may: useMay(), go, openHelp })
  const wanted = text.trim().toLowerCase()
  const fitting = actions.filter(({ label }) => {
    const words = `${label} ${label.includes('Delivery check') ? 'why explain' : ''}`.toLowerCase()
    return wanted.split(/\s+/).every((word) => words.includes(word))
  })

  const first = (wanted === '' ? undefined : found?.[0]?.items[0]?.href) ?? fitting[0]?.label ?? ''
  // Enter opens the entry at the top of the list, also when a search has just put it there.
  useEffect(() => setChosen(first), [first])

  const item = (key: string, label: string, run: () => void) => (
    <Command.Item
      key={key}
      value={key}
      onSelect={() => {
        onClose()
        run()
      }}
      className="flex min-h-8 items-center rounded-md px-2.5 py-1 data-[selected=true]:bg-hover"
    >
      <span className="truncate">{label}</span>
    </Command.Item>
  )

  return (
    <PaletteDialog onClose={onClose}>
      <Command label="Find" shouldFilter={false} loop value={chosen} onValueChange={setChosen}>
        <Command.Input
          value={text}
          onValueChange={setText}
          placeholder="A page, an app, a campaign, an external id, any id"
          className="w-full border-b border-line bg-transparent px-4 py-3 text-lg outline-none placeholder:text-muted"
        />
        <Command.List className="max-h-[50dvh] overflow-y-auto p-2">
          <Command.Empty className="px-2.5 py-4 text-muted">
            {isFetching ? 'Searching' : error === null ? 'No results' : faultOf(error).message}
          </Command.Empty>
          {wanted !== '' &&
            found?.map(({ group, items }) => (
              <Command.Group key={group} heading={group} className={groupClass}>
                {items.map(({ label, href }) => item(href, label, () => go(href)))}
              </Command.Group>
            ))}
          {fitting.length > 0 && (
            <Command.Group heading="Pages and actions" className={groupClass}>
              {fitting.map(({ label, run }) => item(label, label, run))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </PaletteDialog>
  )
}

const groupClass =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted'

/**
 * The palette is the browser's own dialog, because the dialog of the library cmdk inserts a style element, which the content security policy refuses.
 */
function PaletteDialog({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    return dialog.current === null ? undefined : openLayer(dialog.current)
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label="Find"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // A browser closes a dialog at the second Escape in a row, whatever the page does.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
      onClick={(event) => event.target === event.currentTarget && onClose()}
      className="mx-auto mt-[12dvh] w-[calc(100vw-2rem)] max-w-xl overflow-hidden rounded-xl border border-line bg-surface text-ink shadow-2xl"
    >
      <div data-body>{children}</div>
    </dialog>
  )
}
