import { Outlet } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { lazy, Suspense, useEffect, useState } from 'react'
import { SessionGate } from '../session/SessionGate.tsx'
import { useAppIdIfAny, useIsAppGone } from '../session/useAppId.ts'
import { useSystem } from '../session/useSystem.ts'
import { Announcer } from '../ui/Announcer.tsx'
import { LayerContext } from '../ui/layers.ts'
import { useReadyOnce } from '../ui/useReadyOnce.ts'
import { Banners } from './Banners.tsx'
import { AppGone } from './PageStates.tsx'
import { rememberApp } from './preferences.ts'
import { ShortcutsHelp } from './ShortcutsHelp.tsx'
import { Sidebar } from './Sidebar.tsx'
import { useKeyboard } from './useKeyboard.ts'
import { useShellShortcuts } from './useShellShortcuts.ts'

/** Shows the dashboard to a signed-in operator: the shell, with the page of the address in it. */
export function Root() {
  return (
    <>
      <SessionGate>
        <Shell />
      </SessionGate>
      <Announcer />
    </>
  )
}

/**
 * A page stays invisible for at most this time, until the banners above it are known. After this time it is shown although Herald has not answered
 * with its state, from which the banners follow.
 */
const bannersWithinMs = 500

const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }))

const Sessions = lazy(async () => ({ default: (await import('./Sessions.tsx')).Sessions }))

/** Shows what all pages have in common: the navigation at the left, and the banners above the page. */
function Shell() {
  const addressed = useAppIdIfAny()
  const isGone = useIsAppGone(addressed)
  const appId = isGone ? undefined : addressed
  const [layer, setLayer] = useState<'palette' | 'help' | 'sessions'>()
  const [main, setMain] = useState<HTMLElement | null>(null)
  useKeyboard()
  useShellShortcuts(
    () => setLayer('palette'),
    () => setLayer('help'),
  )
  useEffect(() => {
    if (appId !== undefined) rememberApp(appId)
  }, [appId])
  const close = (): void => setLayer(undefined)
  // A banner that appeared above a page would move it down. So the page reads its data at once, but is invisible until the banners are known.
  const isBannered = useReadyOnce(!useSystem().isPending, bannersWithinMs)

  return (
    <LayerContext value={main}>
      <div className="flex min-h-dvh flex-col md:flex-row">
        <a
          href="#main"
          onClick={(event) => {
            event.preventDefault()
            document.getElementById('main')?.focus()
          }}
          className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2"
        >
          Skip to the page
        </a>
        <Sidebar
          appId={appId}
          openPalette={() => setLayer('palette')}
          openHelp={() => setLayer('help')}
          openSessions={() => setLayer('sessions')}
        />
        <div className="flex min-w-0 flex-1 flex-col">
          <section aria-label="State of Herald">
            <Banners />
          </section>
          <main id="main" ref={setMain} tabIndex={-1} className={clsx('min-w-0 flex-1', !isBannered && 'invisible')}>
            {isGone ? <AppGone /> : <Outlet />}
          </main>
        </div>
        <ShortcutsHelp open={layer === 'help'} onClose={close} />
        {layer === 'sessions' && (
          <Suspense fallback={null}>
            <Sessions onClose={close} />
          </Suspense>
        )}
        {layer === 'palette' && (
          <Suspense fallback={null}>
            <Palette appId={appId} onClose={close} openHelp={() => setLayer('help')} />
          </Suspense>
        )}
      </div>
    </LayerContext>
  )
}
