import { ChevronUp, CircleUser } from 'lucide-react'
import { announce } from '../ui/Announcer.tsx'
import { faultOf } from '../api/fault.ts'
import { useMay } from '../session/May.tsx'
import { useSession } from '../session/session.ts'
import { Menu } from '../ui/Menu.tsx'
import { prefer, type Theme, usePreferences } from './preferences.ts'

const themes: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

/** Shows the operator's name, and the scopes of a session that began with a key, with a menu of the themes, the keyboard shortcuts and "Sign out". */
export function PersonMenu({ openHelp, openSessions }: { openHelp: () => void; openSessions: () => void }) {
  const { name, scopes, appId, signOut } = useSession()
  const { theme } = usePreferences()
  const may = useMay()
  const leave = (): void => void signOut().catch((error: unknown) => announce(`You are still signed in: ${faultOf(error).message}`, 'bad'))
  return (
    <Menu
      label="You and this browser"
      items={[
        ...(Object.keys(themes) as Theme[]).map((choice) => ({
          label: `Theme: ${themes[choice]}${choice === theme ? ' (now)' : ''}`,
          onSelect: () => prefer({ theme: choice }),
        })),
        { label: 'Keyboard shortcuts', onSelect: openHelp },
        ...(may('platform') ? [{ label: 'Sessions', onSelect: openSessions }] : []),
        { label: 'Sign out', onSelect: leave },
      ]}
      trigger={
        <button
          type="button"
          className="flex min-h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left text-muted hover:bg-hover hover:text-ink"
        >
          <CircleUser size={16} className="shrink-0" aria-hidden />
          <span className="min-w-0 flex-1 truncate">
            {name === '' ? 'Signed in' : name}
            {appId !== null && <span className="block truncate text-sm">Permissions: {scopes.join(', ')}</span>}
          </span>
          <ChevronUp size={14} className="shrink-0" aria-hidden />
        </button>
      }
    />
  )
}
