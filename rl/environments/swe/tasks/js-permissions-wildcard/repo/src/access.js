import { matches } from "./match.js";

export class Access {
  #roles;

  /** roles: name -> { rules: ["allow a:b", "deny c:*"], extends?: [names] } */
  constructor(roles) {
    this.#roles = roles;
  }

  can(user, permission) {
    for (const name of user.roles) {
      for (const rule of this.#rules(name)) {
        const [effect, pattern] = rule.split(" ");
        if (matches(pattern, permission)) return effect === "allow";
      }
    }
    return false;
  }

  #rules(name) {
    const { rules, extends: above = [] } = this.#roles[name];
    return [...rules, ...above.flatMap((each) => this.#rules(each))];
  }
}
