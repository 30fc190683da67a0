import { useSyncExternalStore } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { Switch } from '../ui/Switch.tsx'
import { keysText } from './match-keys.ts'
import { prefer, usePreferences } from './preferences.ts'
import { shortcuts, watchShortcuts } from './useShortcut.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Shows the shortcuts that work on this page, with the switch for shortcuts of single keys. */
export function ShortcutsHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const known = useSyncExternalStore(watchShortcuts, shortcuts)
  const { singleKeys } = usePreferences()
  const shown = known.filter((shortcut, index) => known.findLastIndex(({ keys }) => keys === shortcut.keys) === index)
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <div className="flex flex-col gap-4">
        <Switch label="Shortcuts without Ctrl or ⌘" checked={singleKeys} onChange={(on) => prefer({ singleKeys: on })} />
        <table className="w-full">
          <caption className="sr-only">Keys of this page</caption>
          <tbody>
            {shown.map(({ keys, description }) => (
              <tr key={keys} className="border-b border-line last:border-0">
                <th scope="row" className="py-1.5 pr-4 text-left font-normal">
                  {description}
                </th>
                <td className="py-1.5 text-right whitespace-nowrap">
                  <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{keysText(keys, isMac)}</kbd>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  )
}
