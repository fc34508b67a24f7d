import { lazy, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useUser } from '../../../web/session.ts'
import { closeTab, useTabPath, useTabTitle } from '../../../web/shell/tabs.ts'
import { PageHead, Sheet } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { replenishment, type Visit, visitTones } from '../contract.ts'
import { VisitItems } from './VisitItems.tsx'
import { VisitPanel } from './VisitPanel.tsx'

const PhoneVisit = lazy(() =>
  import('./phone/PhoneVisit.tsx').then((found) => ({ default: found.PhoneVisit })),
)

/** A visit by its number, at a desk, or by the key under which a phone keeps it. */
export function VisitPage() {
  const { id = '' } = useParams()
  return id.includes('-') ? <PhoneVisit /> : <DeskVisit id={Number(id)} />
}

/** A visit at its machine: while it is one's own and open, it is filled in here. */
function DeskVisit({ id }: { id: number }) {
  const read = useRead(replenishment.visit, { id }, { inline: true })
  useTabTitle(read.data?.rtuNumber)
  if (!read.data) return <Unread read={read} rows={10} />
  return read.data.can.edit ? <Open visit={read.data} /> : <Ended visit={read.data} />
}

function Head({ visit }: { visit: Visit }) {
  const { t } = useTranslation('replenishment')
  return (
    <PageHead
      title={
        <>
          {visit.nickname} <Muted>{visit.rtuNumber}</Muted>
        </>
      }
    >
      <StatusTag chip tone={visitTones[visit.state]}>
        {t(`enums.state.${visit.state}`)}
      </StatusTag>
    </PageHead>
  )
}

/** What was begun on this phone goes on there: its operations are not written over. */
function useOwnPhone({ source, clientId }: Visit) {
  const navigate = useNavigate()
  const { id } = useUser()
  useEffect(() => {
    if (source !== 'PHONE') return
    void import('./phone/begin.ts')
      .then(({ isHere }) => isHere(id, clientId))
      .then((here) => {
        if (here) void navigate(`/stock/replenish/visit/${clientId}`, { replace: true })
      })
      .catch(() => undefined)
  }, [source, clientId, id, navigate])
}

function Open({ visit }: { visit: Visit }) {
  const navigate = useNavigate()
  useOwnPhone(visit)
  const path = useTabPath()
  const ask = { deviceId: visit.deviceId, pageSize: 200 as const }
  const lanes = useRead(replenishment.lanes, ask, { inline: true, keep: true })
  const more = useRead(
    replenishment.lanes,
    { ...ask, page: 2 },
    { inline: true, keep: true, enabled: (lanes.data?.total ?? 0) > 200 },
  )
  const batches = useRead(replenishment.batches, { deviceId: visit.deviceId })
  useLive('lanes', [replenishment.lanes.path])
  const leave = (to: string) => {
    closeTab(path)
    void navigate(to)
  }
  return (
    <>
      <Head visit={visit} />
      {lanes.data ? (
        <VisitPanel
          visit={visit}
          lanes={[...lanes.data.list, ...(more.data?.list ?? [])]}
          batches={batches.data?.list ?? []}
          onPosted={() => leave(`/stock/replenish/visits?detail=${visit.id}`)}
          onGivenUp={() => leave('/stock/replenish')}
        />
      ) : (
        <Unread read={lanes} rows={10} />
      )}
    </>
  )
}

const Ended = ({ visit }: { visit: Visit }) => (
  <>
    <Head visit={visit} />
    <Sheet>
      <VisitItems items={visit.items} />
    </Sheet>
  </>
)
