import { useNavigate } from '@tanstack/react-router'
import { useAppIdIfAny } from '../session/useAppId.ts'
import { useShortcut } from './useShortcut.ts'

const first = (selector: string): void => document.querySelector<HTMLElement>(`main ${selector}`)?.focus()

/** Adds the shortcuts that work on every page. On a page that belongs to no app, a shortcut to a page of an app leads to the list of apps. */
export function useShellShortcuts(openPalette: () => void, openHelp: () => void): void {
  const navigate = useNavigate()
  const appId = useAppIdIfAny()
  const go =
    (
      to:
        | '/apps/$appId/overview'
        | '/apps/$appId/campaigns'
        | '/apps/$appId/people'
        | '/apps/$appId/segments'
        | '/apps/$appId/log'
        | '/apps/$appId/compose',
    ) =>
    () =>
      void (appId === undefined ? navigate({ to: '/' }) : navigate({ to, params: { appId } }))
  useShortcut('mod+k', openPalette, 'Find a page, an app, a campaign or a person')
  useShortcut('g o', go('/apps/$appId/overview'), 'Go to Overview')
  useShortcut('g c', go('/apps/$appId/campaigns'), 'Go to Campaigns')
  useShortcut('g p', go('/apps/$appId/people'), 'Go to People')
  useShortcut('g s', go('/apps/$appId/segments'), 'Go to Segments')
  useShortcut('g l', go('/apps/$appId/log'), 'Go to the log')
  useShortcut('n', go('/apps/$appId/compose'), 'Compose a notification')
  useShortcut('/', () => first('[data-filter],input[type=search]'), 'Filter the list')
  useShortcut('j', () => first('[data-table] tbody tr[tabindex]'), 'Next row (in a list)')
  useShortcut('k', () => first('[data-table] tbody tr[tabindex]'), 'Row before (in a list)')
  useShortcut('?', openHelp, 'Show these shortcuts')
}
