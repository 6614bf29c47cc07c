import { Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { companyName, ROLE_NAMES, useMe } from '../session/me';
import { switchCompany } from '../session/session';
import { Icon } from '../ui/icon';
import { showError } from '../ui/show-error';
import classes from './sidebar.module.css';

/** The company whose data all pages show. Another one loads the page anew. */
export function CompanySwitch() {
  const me = useMe();
  const change = useMutation({ mutationFn: (company_id: string) => switchCompany(me, company_id), onError: showError });
  if (me.companies.length < 2) {
    return (
      <div className={`${classes.button} ${classes.company} clip`} dir="auto">
        {companyName(me)}
      </div>
    );
  }
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <button type="button" className={`${classes.button} ${classes.company}`} disabled={change.isPending}>
          <span className="clip" dir="auto">
            {companyName(me)}
          </span>
          <Icon name="down" size={14} />
          <span className="sr-only">Switch company</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {me.companies.map(({ company_id, name, role }) => (
          <Menu.Item
            key={company_id}
            disabled={role === 'none' || company_id === me.company_id}
            rightSection={company_id === me.company_id ? <Icon name="check" size={14} /> : null}
            onClick={() => change.mutate(company_id)}
          >
            <div className="clip" dir="auto">
              {name}
            </div>
            <div className="soft">{ROLE_NAMES[role]}</div>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
