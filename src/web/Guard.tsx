import { useEffect } from 'react'
import { Navigate, useLocation } from 'react-router'
import { type Action, decide } from './guard.ts'
import { translate } from './i18n.ts'
import { hideLoading, showLoading } from './loading.ts'
import { product } from './product.ts'
import { useUserState } from './session.ts'
import { Shell } from './shell/Shell.tsx'
import { endSession, token } from './token.ts'

/** Carries out what `decide` says for the present location. */
export function Guard() {
  const location = useLocation()
  const target = location.pathname + location.search
  const user = useUserState(token() !== null)
  const action = decide({ hasToken: token() !== null, target, user, screens: product.screens })
  const message = action.do === 'leave' ? leaveText(action) : null
  useEffect(() => {
    if (message !== null) endSession(message)
  }, [message])
  useEffect(() => {
    if (action.do !== 'loadUser') return
    showLoading()
    return hideLoading
  }, [action.do])
  if (user.is !== 'known')
    return action.do === 'redirect' ? <Navigate to={action.to} replace /> : null
  return (
    <>
      {action.do === 'redirect' ? <Navigate to={action.to} replace /> : null}
      <Shell settled={action.do === 'open'} />
    </>
  )
}

const leaveText = (action: Extract<Action, { do: 'leave' }>): string =>
  typeof action.message === 'string' ? translate(action.message) : action.message.text
