import { Alert, Button, Checkbox, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead, useWrite } from '../../../../web/api.ts'
import { useLive } from '../../../../web/live.ts'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Select } from '../../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { deviceCommands, type TestVend } from '../../../device-commands/contract.ts'
import { testRefusal } from '../../../device-commands/rules.ts'
import { Progress } from '../../../device-commands/web/pickers.tsx'
import { useFaultWord } from '../../../machines/web/pickers.tsx'
import { lanes, type Road } from '../../contract.ts'

type Props = {
  id: number
  rtuNumber: string
  online: boolean
  laneId?: number
  onClose: () => void
}

/** One piece for nothing out of a chosen lane, watched until it fell. */
export function TestVendDialog({ id, rtuNumber, online, laneId, onClose }: Props) {
  const { t } = useTranslation('deviceCommands')
  const [chosen, setChosen] = useState<number | undefined>(laneId)
  const [repair, setRepair] = useState(false)
  const [test, setTest] = useState<TestVend | null>(null)
  const plan = useRead(lanes.plan, { deviceId: id })
  const start = useWrite(deviceCommands.testVend, {
    invalidates: ['/api/devices', '/api/lanes'],
    onSuccess: setTest,
  })
  const active = useActiveTab()
  if (!active) return null
  const roads = (plan.data?.floors ?? [])
    .flatMap((floor) => floor.roads)
    .filter((road) => road.productId !== null)
  const refusal = (road: Road) =>
    testRefusal(
      {
        productId: road.productId,
        status: road.status,
        available: road.productStock - road.reserved - road.failedHold,
      },
      repair,
    )
  const road = roads.find((one) => one.id === chosen)
  const offered = roads.map((one) => ({
    value: one.id,
    label: t('laneOf', {
      road: one.roadIndex,
      product: one.productName ?? '',
      n: one.productStock - one.reserved - one.failedHold,
    }),
    disabled: refusal(one) !== null,
  }))
  const ready = online && road !== undefined && refusal(road) === null
  return (
    <Modal
      open
      width={480}
      title={`${t('test')} ${rtuNumber}`}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          {test ? (
            <Button onClick={() => setTest(null)}>{t('again')}</Button>
          ) : (
            <Button
              type="primary"
              disabled={!ready}
              loading={start.isPending}
              onClick={() => start.mutate({ id, laneId: chosen as number, repair })}
            >
              {t('start')}
            </Button>
          )}
        </>
      }
    >
      {test ? (
        <Watched id={id} started={test} />
      ) : (
        <Flex vertical gap={8}>
          {online ? null : <Alert type="warning" showIcon title={t('offlineHint')} />}
          <Muted>{t('testHint')}</Muted>
          <label htmlFor="test-lane">{t('lane')}</label>
          <Select
            id="test-lane"
            value={chosen ?? null}
            loading={plan.isPending}
            showSearch={{ optionFilterProp: 'label' }}
            options={offered}
            notFoundContent={t('noLane')}
            placeholder={t('web:form.choose')}
            onChange={(value: number) => setChosen(value)}
          />
          <Checkbox checked={repair} onChange={(event) => setRepair(event.target.checked)}>
            {t('repair')}
          </Checkbox>
        </Flex>
      )}
    </Modal>
  )
}

const over: readonly TestVend['state'][] = ['SUCCESS', 'FAILED', 'UNKNOWN', 'VOID']

function Watched({ id, started }: { id: number; started: TestVend }) {
  const { t } = useTranslation('deviceCommands')
  const read = useRead(
    deviceCommands.testVendState,
    { id },
    { inline: true, keep: true, every: 1000 },
  )
  useLive('orders', [deviceCommands.testVendState.path])
  const latest = read.data?.latest
  const test = latest?.orderNum === started.orderNum ? latest : started
  const end = test.state === 'SUCCESS' ? 'good' : over.includes(test.state) ? 'bad' : null
  const faultWord = useFaultWord()
  const reason = test.failReason ? faultWord(test.failReason) : ''
  const word = t(`enums.test.${test.state}`)
  return (
    <>
      <Progress
        end={end}
        steps={[
          { label: t('steps.sent'), at: test.sentAt },
          { label: t('steps.acked'), at: test.ackedAt },
          { label: end === 'bad' ? word : t('steps.done'), at: test.finishedAt },
        ]}
      />
      <Flex wrap align="center" gap="4px 16px" role="status">
        <Bad when={end === 'bad'}>
          <strong>{reason ? `${word} · ${reason}` : word}</strong>
        </Bad>
        <span>
          {test.road} {test.productName}
        </span>
        {test.dropConfirmed ? <span>{t('dropped')}</span> : null}
        <Link to={`/order/order-details/${test.orderNum}`}>{t('order')}</Link>
      </Flex>
    </>
  )
}
