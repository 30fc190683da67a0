import { useLocation } from '@tanstack/react-router'
import { FlaskConical, Menu as MenuIcon, Search } from 'lucide-react'
import { clsx } from 'clsx'
import { lazy, Suspense, useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { zoneText } from '../core/time.ts'
import { useToday } from '../live/useToday.ts'
import { useSystem } from '../session/useSystem.ts'
import { Mark } from '../ui/Mark.tsx'
import { isNewApp } from './is-new-app.ts'
import { Navigation } from './Navigation.tsx'
import { PersonMenu } from './PersonMenu.tsx'

// The code of the app switcher is large and is not needed for the first view, so it is loaded later.
const AppSwitcher = lazy(async () => ({ default: (await import('./AppSwitcher.tsx')).AppSwitcher }))

/**
 * Shows the left side: the app switcher, the button that finds things, the pages and the operator's menu. On a narrow screen the pages are behind a
 * button.
 */
export function Sidebar({ appId, openPalette, openHelp }: { appId: string | undefined; openPalette: () => void; openHelp: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => setOpen(false), [pathname])
  const isSimulated = useSystem().data?.simulator === true
  const { data: overview } = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/overview',
    { params: { path: { appId: appId ?? '' } } },
    { enabled: appId !== undefined, staleTime: 30_000 },
  )
  const isNew = overview !== undefined && isNewApp(overview)

  return (
    <header className="sticky top-0 z-30 flex shrink-0 flex-col border-b border-line bg-surface md:h-dvh md:w-58 md:border-r md:border-b-0">
      <div className="flex items-center gap-2 p-3">
        <div className="min-w-0 flex-1">
          {appId === undefined ? (
            <p className="flex items-center gap-2 px-2.5 font-semibold tracking-tight">
              <Mark size={20} />
              Herald
            </p>
          ) : (
            <Suspense fallback={<div className="h-8 rounded-md border border-strong" />}>
              <AppSwitcher appId={appId} />
            </Suspense>
          )}
        </div>
        {isSimulated && <Simulated className="md:hidden" />}
        <button
          type="button"
          onClick={openPalette}
          aria-label="Find (Ctrl K)"
          title="Find (Ctrl K)"
          className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <Search size={16} aria-hidden />
        </button>
        <button
          type="button"
          aria-label="Pages"
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
          className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink md:hidden"
        >
          <MenuIcon size={16} aria-hidden />
        </button>
      </div>
      <div id="pages" className={clsx('min-h-0 flex-1 flex-col md:flex', isOpen ? 'flex max-h-[70dvh]' : 'hidden')}>
        <nav aria-label="Pages" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-3 py-1">
          <Navigation appId={appId} isSimulated={isSimulated} isNew={isNew} />
        </nav>
        <div className="border-t border-line p-3">
          <PersonMenu openHelp={openHelp} />
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-2.5 pt-1 text-xs text-muted">
            {isSimulated && <Simulated className="max-md:hidden" />}
            <span>Times in {zoneText(useToday())}</span>
          </p>
        </div>
      </div>
    </header>
  )
}

const Simulated = ({ className }: { className: string }) => (
  <span
    title="Providers are simulated: nothing real is sent."
    className={clsx('inline-flex shrink-0 items-center gap-1 rounded-full bg-accent-soft px-2 text-xs/5 text-accent', className)}
  >
    <FlaskConical size={12} aria-hidden />
    Simulated
  </span>
)
