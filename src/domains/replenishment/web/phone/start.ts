import type { CurrentUser } from '../../../../shared/person.ts'
import { href } from '../../../../web/base.ts'
import type { Question } from '../../../../web/confirm.tsx'
import { registerLocale, translate } from '../../../../web/i18n.ts'
import { askBeforeLogout, rememberUser } from '../../../../web/session.ts'
import { openDb } from './db.ts'
import { wipe, wipeOthers } from './store.ts'
import { startSync } from './sync.ts'
import { takeRoute } from './takeAlong.ts'

let begun = false
let taken = Number.NEGATIVE_INFINITY
const anew = 600_000
/** All that a day without the network needs, as often as it may have changed. */
function takeRouteNow(userId: number): void {
  if (!navigator.onLine || performance.now() - taken < anew) return
  taken = performance.now()
  void openDb(userId)
    .then(takeRoute)
    .catch(() => {
      taken = Number.NEGATIVE_INFINITY
    })
}

/** This browser is the phone of somebody who fills machines: it works without the network, too. */
export function startPhone(user: CurrentUser, ask: (question: Question) => Promise<boolean>): void {
  rememberUser(user)
  if (begun) return
  begun = true
  startSync(user.id)
  void wipeOthers(user.id).catch(() => undefined)
  takeRouteNow(user.id)
  addEventListener('online', () => takeRouteNow(user.id))
  if (!import.meta.env.DEV)
    void navigator.serviceWorker
      ?.register(href('/sw.js'), { updateViaCache: 'none' })
      .catch(() => undefined)
  askBeforeLogout(async () => {
    if (await wipe(user.id).catch(() => true)) return true
    registerLocale('replenishment', (await import('../../locale.ts')).locale)
    return ask({
      title: translate('replenishment:phone.unsentAsk'),
      content: translate('replenishment:phone.unsentHint'),
      ok: translate('shell.logout'),
      danger: true,
    })
  })
}
