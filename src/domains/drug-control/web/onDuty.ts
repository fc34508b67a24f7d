import { useSyncExternalStore } from 'react'

/** Whether somebody went on duty in this browser; it outlives a reload, so that its page goes on. */
const key = (userId: number) => `duty:${userId}`
const told = new Set<() => void>()
const subscribe = (tell: () => void) => {
  told.add(tell)
  return () => told.delete(tell)
}

export function setOnDuty(userId: number, on: boolean): void {
  if (on) localStorage.setItem(key(userId), '1')
  else localStorage.removeItem(key(userId))
  for (const tell of told) tell()
}
export const useOnDuty = (userId: number): boolean =>
  useSyncExternalStore(subscribe, () => localStorage.getItem(key(userId)) !== null)
