import { useParams } from '@tanstack/react-router'

/** The id of the app in the address. For pages below /apps/$appId only. */
export function useAppId(): string {
  const { appId } = useParams({ strict: false })
  if (appId === undefined) throw new Error('This page belongs to no app')
  return appId
}

/** The id of the app in the address; undefined on a page of no app. */
export const useAppIdIfAny = (): string | undefined => useParams({ strict: false }).appId
