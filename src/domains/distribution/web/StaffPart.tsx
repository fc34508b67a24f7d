import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Time } from '../../../web/Time.tsx'
import { type DeviceAssignments, distribution, staffKinds } from '../contract.ts'
import styles from './distribution.module.css'
import { PeopleSelect } from './Pickers.tsx'

type Kind = (typeof staffKinds)[number]
type Person = DeviceAssignments['staff'][number]

export function StaffPart({ device }: { device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  return (
    <div className={styles.part}>
      <div>
        <h2>{t('staff.title')}</h2>
        <p>{t('staff.purpose')}</p>
      </div>
      <div className={styles.body}>
        {staffKinds.map((kind) => (
          <Staff key={kind} kind={kind} device={device} />
        ))}
      </div>
    </div>
  )
}

function Staff({ kind, device }: { kind: Kind; device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  const confirm = useConfirm()
  const [chosen, setChosen] = useState<number[]>([])
  const assign = useWrite(distribution.assign, { success: 'distribution:success.assign' })
  const unassign = useWrite(distribution.unassign, { success: 'distribution:success.unassign' })
  const people = device.staff.filter((person) => person.kind === kind)
  const remove = async (person: Person) => {
    if (
      await confirm({
        title: t('removeAsk'),
        content: `${person.name} · ${device.rtuNumber}`,
        danger: true,
      })
    )
      unassign.mutate({ id: device.id, assignmentId: person.id })
  }
  return (
    <div>
      <strong>{t(`enums.kind.${kind}`)}</strong>
      <ul className={styles.rows}>
        {people.length === 0 ? <li className={styles.quiet}>{t('staff.none')}</li> : null}
        {people.map((person) => (
          <li key={person.id}>
            <b>{person.name}</b>
            <span>{person.orgName}</span>
            <span className={styles.quiet}>
              <Time at={person.since} /> {person.by ? t('owner.by', { name: person.by }) : ''}
            </span>
            {device.can.staff ? (
              <Button
                type="link"
                size="small"
                danger
                disabled={unassign.isPending}
                onClick={() => void remove(person)}
              >
                {t('remove')}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {device.can.staff ? (
        <div className={styles.line}>
          <PeopleSelect
            kind={kind}
            orgId={device.orgId}
            value={chosen}
            onChange={setChosen}
            without={people.map((person) => person.userId)}
          />
          <Button
            disabled={chosen.length === 0}
            loading={assign.isPending}
            onClick={() =>
              assign.mutate(
                { id: device.id, kind, userIds: chosen },
                { onSuccess: () => setChosen([]) },
              )
            }
          >
            {t('staff.add')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}
