import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Empty } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'

/** Orders of the mini-program's mall: there is none yet, and figures are not made up. */
export function OnlinePlatform() {
  const { t } = useTranslation('dataReports')
  const sells = useMay()('device-report:read')
  return (
    <section className="hd-sheet">
      <Empty
        title={t('noMall')}
        hint={t('noMallHint')}
        action={sells ? <Link to="/offline-equipment">{t('offlineTabs.sales')}</Link> : undefined}
      />
    </section>
  )
}
