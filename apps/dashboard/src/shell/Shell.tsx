import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useAppIdIfAny } from '../session/useAppId.ts'
import { Navigation } from './Navigation.tsx'
import { rememberApp } from './preferences.ts'
import { useKeyboard } from './useKeyboard.ts'

/** What stays while pages change: the navigation at the left, and what is wrong for everybody above the page. */
export function Shell() {
  useKeyboard()
  const appId = useAppIdIfAny()
  useEffect(() => {
    if (appId !== undefined) rememberApp(appId)
  }, [appId])
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2"
      >
        Skip to the page
      </a>
      <Navigation appId={appId} />
      <main id="main" tabIndex={-1} className="min-w-0 flex-1">
        <Outlet />
      </main>
    </div>
  )
}
