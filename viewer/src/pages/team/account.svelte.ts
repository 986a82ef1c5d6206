/** The logged-in member, and what the arena offers. */
import * as api from "../../api";
import type { Me } from "../../types";

class Account {
  me = $state.raw<Me | null>(null);
  member = $derived(this.me?.member ?? null);

  async refresh(): Promise<void> {
    this.me = await api.me();
  }

  async register(name: string, password: string, code: string): Promise<void> {
    this.me = await api.register(name, password, code);
  }

  async logIn(name: string, password: string): Promise<void> {
    this.me = await api.logMemberIn(name, password);
  }

  async reset(secret: string, password: string): Promise<void> {
    this.me = await api.resetPassword(secret, password);
  }

  async logOut(): Promise<void> {
    await api.logMemberOut();
    await this.refresh();
  }
}

export const account = new Account();
