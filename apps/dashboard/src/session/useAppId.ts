import { useParams } from '@tanstack/react-router'

/** The app of the page. Only for pages below /apps/$appId. */
export function useAppId(): string {
  const { appId } = useParams({ strict: false })
  if (appId === undefined) throw new Error('This page belongs to no app')
  return appId
}

/** The app of the page, where there is one. */
export const useAppIdIfAny = (): string | undefined => useParams({ strict: false }).appId
