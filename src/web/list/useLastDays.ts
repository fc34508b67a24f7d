import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { addDays, shanghaiDay } from '../../shared/instants.ts'
import { useTabPath } from '../shell/tabs.ts'

/**
 * Without days the server answers the last seven: the address, and with it the filter, says so. The
 * history of one object reaches further.
 */
export function useLastDays(): void {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const here = useTabPath() === pathname
  useEffect(() => {
    const params = new URLSearchParams(search)
    if (!here || ['from', 'to', 'targetId'].some((key) => params.has(key))) return
    const today = shanghaiDay(new Date())
    params.set('from', addDays(today, -6))
    params.set('to', today)
    navigate(`${pathname}?${params}`, { replace: true })
  }, [here, pathname, search, navigate])
}
